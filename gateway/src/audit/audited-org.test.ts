import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { EndpointFake } from '@switchroom/kit/testing/endpoint-fake'
import { AuditedDeployment, byMember, byOperator } from '../../testing/audit/audited-deployment.ts'
import { orgRoutes } from '../../testing/audit/audited-routes.ts'
import { newLine } from '../../testing/telephony/number-fixture.ts'
import { AppClient } from '../../testing/agents/app-client.ts'
import { done } from '../../testing/agents/test-agents.ts'

const audited = await AuditedDeployment.start()
after(() => audited[Symbol.asyncDispose]())
const { deployment, operator, desk } = audited
const check = audited.audited.bind(audited)
const secret = audited.secret.bind(audited)

test('mailboxes and vendor keys are recorded without their secrets', async () => {
  const { org, admin } = await audited.newOrg()
  const by = { org: org.id, actor: byMember(admin) }
  const box = {
    host: 'mail.acme.example',
    port: 587,
    security: 'starttls',
    username: 'acme',
    password: secret('hunter2-of-the-org'),
    from: 'a@example.com',
  }
  const target = { kind: 'mailbox', label: box.host } as const
  await check('PUT /v1/org/mail', () => admin.client.put('/v1/org/mail', box), { ...by, target })
  await check('DELETE /v1/org/mail', () => admin.client.delete('/v1/org/mail'), { ...by, target })
  const platform = { org: null, actor: byOperator, target }
  const own = { ...box, password: secret('hunter2-of-the-platform') }
  await check('PUT /v1/ops/mail', () => operator.put('/v1/ops/mail', own), platform)
  await check('DELETE /v1/ops/mail', () => operator.delete('/v1/ops/mail'), platform)

  const mind = { ...by, target: { kind: 'vendor', id: 'mind' } } as const
  const bring = () => admin.client.put('/v1/provider-keys/mind', { key: secret('sk-brought-0123456789') })
  await check('PUT /v1/provider-keys/:vendor', bring, mind)
  await check('DELETE /v1/provider-keys/:vendor', () => admin.client.delete('/v1/provider-keys/mind'), mind)
  const save = () =>
    audited
      .from(deployment.dashboard.as(admin.key))
      .put('/api/credentials', { provider: 'mind', apiKey: secret('sk-saved-0123456789') })
  await check('PUT /api/credentials', save, mind)
})

test("an org's own model endpoints are recorded without their keys", async () => {
  const { org, admin } = await audited.newOrg()
  const key = secret('sk-endpoint-0123456789')
  await using fake = await EndpointFake.start({ key })
  const by = { org: org.id, actor: byMember(admin), target: { kind: 'model_endpoint', id: 'llama' } } as const
  const wanted = {
    name: 'llama',
    base_url: `http://llm.example.test:${fake.port}/v1`,
    model: 'llama-3.3',
    key,
  }
  const at = '/v1/model-endpoints'
  await check('POST /v1/model-endpoints', () => admin.client.post(at, wanted), by)
  const change = () => admin.client.patch(`${at}/llama`, { wire: 'responses', key })
  await check('PATCH /v1/model-endpoints/:name', change, by)
  await check('DELETE /v1/model-endpoints/:name', () => admin.client.delete(`${at}/llama`), by)
})

test("an org's webhooks are recorded without their secrets and the paths of their addresses", async () => {
  const { org, admin } = await audited.newOrg()
  await using receiver = await EndpointFake.start({ key: null })
  const host = `llm.example.test:${receiver.port}`
  const by = { org: org.id, actor: byMember(admin), target: { kind: 'webhook', label: host } } as const
  const at = '/v1/webhooks'
  const url = `http://${host}/${secret('path-of-the-webhook-0123456789')}`
  await check('POST /v1/webhooks', () => admin.client.post(at, { url }), by)
  const [{ id }] = done(await admin.client.get(at)).webhooks
  await check('PATCH /v1/webhooks/:id', () => admin.client.patch(`${at}/${id}`, { types: ['call.*'] }), by)
  await check('POST /v1/webhooks/:id/rotate', () => admin.client.post(`${at}/${id}/rotate`, {}), by)
  const { event } = done(await admin.client.post(`${at}/${id}/test`))
  await deployment.sql(`update webhook_deliveries set state = 'failed' where event = $1`, [event])
  const again = () => admin.client.post(`${at}/${id}/deliveries/${event}/redeliver`)
  await check('POST /v1/webhooks/:id/deliveries/:event/redeliver', again, by)
  await check('POST /v1/webhooks/:id/redeliver', () => admin.client.post(`${at}/${id}/redeliver`, {}), by)
  await check('DELETE /v1/webhooks/:id', () => admin.client.delete(`${at}/${id}`), by)
})

test('bases and documents are recorded without texts, addresses and headers', async () => {
  const { org, admin } = await audited.newOrg()
  const by = { org: org.id, actor: byMember(admin) } as const
  const ofBase = { ...by, target: { kind: 'base', label: 'faq' } } as const
  const ofDocument = { ...by, target: { kind: 'document', label: 'a.md' } } as const
  const at = '/v1/bases'
  await check('POST /v1/bases', () => admin.client.post(at, { base: 'faq' }), ofBase)
  await check('PATCH /v1/bases/:base', () => admin.client.patch(`${at}/faq`, { language: 'de' }), ofBase)
  const url = `https://nothing.example.test/a.md?token=${secret('address-of-the-document-0123456789')}`
  const headers = { 'x-key': secret('header-of-the-document-0123456789') }
  const documents = `${at}/faq/documents`
  await check(
    'POST /v1/bases/:base/documents',
    () => admin.client.post(documents, { name: 'a.md', url, headers }),
    ofDocument,
  )
  const path = `${documents}/${done(await admin.client.get(documents)).documents[0].id}`
  await check(
    'POST /v1/bases/:base/documents/:document/refetch',
    () => admin.client.post(`${path}/refetch`),
    ofDocument,
  )
  const text = secret('text-of-the-document-0123456789')
  await check('PUT /v1/bases/:base/documents/:document', () => admin.client.put(path, { text }), ofDocument)
  await check('DELETE /v1/bases/:base/documents/:document', () => admin.client.delete(path), ofDocument)
  await check('DELETE /v1/bases/:base', () => admin.client.delete(`${at}/faq`), ofBase)
})

test('an agent is recorded when its production changes, and not in the sandbox', async () => {
  const { org, admin } = await audited.newOrg()
  const by = { org: org.id, actor: byMember(admin), target: { kind: 'agent', id: 'desk' } } as const
  const at = '/v1/agents/desk'
  const live = admin.client.in('production')
  const before = await audited.trail.count()
  done(await admin.client.put(`${at}/settings`, { config: { greeting: { say: 'Hi' } }, if_version: 0 }))
  done(await admin.client.put(`${at}/lexicon`, { lexicon: { said: [], heard: ['Wout'] }, if_version: 0 }))
  assert.equal(await audited.trail.count(), before)
  const say = (words: string, if_version: number) =>
    live.put(`${at}/settings`, { config: { greeting: { say: words } }, if_version })
  await check('PUT /v1/agents/:agent/settings', () => say('Hello', 0), by)
  const entry = await audited.trail.last('settings.set')
  assert.deepEqual(
    [entry.env, entry.detail],
    ['production', { version: { before: 0, after: 1 }, changed: ['greeting'] }],
  )
  done(await say('Good day', 1))
  await check(
    'PUT /v1/agents/:agent/settings/canary',
    () => live.put(`${at}/settings/canary`, { version: 1, share: 5 }),
    by,
  )
  await check('DELETE /v1/agents/:agent/settings/canary', () => live.delete(`${at}/settings/canary`), by)
  await check(
    'POST /v1/agents/:agent/settings/rollback',
    () => live.post(`${at}/settings/rollback`, { version: 1 }),
    by,
  )
  const lexicon = { said: [], heard: ['Ximena'] }
  await check(
    'PUT /v1/agents/:agent/lexicon',
    () => live.put(`${at}/lexicon`, { lexicon, if_version: 0 }),
    by,
  )
  done(await admin.client.put('/v1/provider-keys/mind', { key: 'sk-brought-0123456789' }))
  const judging = { ...by, target: { kind: 'judging' } } as const
  await check(
    'PUT /v1/org/judging',
    () => admin.client.put('/v1/org/judging', { judge: 'mind/some-model' }),
    judging,
  )
  assert.deepEqual((await audited.trail.last('judging.changed')).detail, {
    judge: { before: null, after: 'mind/some-model' },
  })
})

test('carrier accounts are recorded without their secrets, and what is made there', async () => {
  const { org, admin } = await audited.newOrg()
  const by = { org: org.id, actor: byMember(admin) }
  const { login } = desk.carrier.account()
  const carrier = { ...by, target: { kind: 'carrier', id: login.account_sid } } as const
  secret(login.secret)
  await check('PUT /v1/carrier', () => admin.client.put('/v1/carrier', login), carrier)
  await check('POST /v1/carrier/outbound', () => admin.client.post('/v1/carrier/outbound'), carrier)
  await check('DELETE /v1/carrier', () => admin.client.delete('/v1/carrier'), carrier)

  const peer = {
    username: 'peer',
    password: secret('word-of-the-peer'),
    addresses: ['81.2.69.0/28', '81.2.70.0/28'],
  }
  await check('PUT /v1/carrier', () => admin.client.put('/v1/carrier', peer), {
    ...by,
    target: { kind: 'carrier', id: 'peer' },
  })
  const { detail } = await audited.trail.last('carrier.set')
  assert.deepEqual(detail['secrets_replaced'], ['password'])
  const { networks } = done(await operator.get('/v1/ops/networks'))
  const [one, other] = networks.map(({ id }: { id: string }) => id)
  const moved = (id: string) => ({ org: org.id, actor: byOperator, target: { kind: 'network', id } }) as const
  await check(
    'POST /v1/ops/networks/:id/approve',
    () => operator.post(`/v1/ops/networks/${one}/approve`),
    moved(one),
  )
  await check(
    'POST /v1/ops/networks/:id/refuse',
    () => operator.post(`/v1/ops/networks/${other}/refuse`),
    moved(other),
  )
})

test('numbers are recorded when they are routed, bought, moved, approved and released', async () => {
  const { org, admin } = await audited.newOrg()
  const by = { org: org.id, actor: byMember(admin) }
  const number = newLine()
  const own = { kind: 'number', id: number } as const
  const hook = () => admin.client.post('/v1/numbers', { number, agent: 'desk', hooked: true })
  await check('POST /v1/numbers', hook, { ...by, target: own })
  const before = await audited.trail.count()
  done(await hook())
  done(
    await admin.client.post('/v1/numbers?dry_run=true', { number: newLine(), agent: 'desk', hooked: true }),
  )
  assert.equal(await audited.trail.count(), before) // it existed already, and a dry run changes nothing
  const approve = () => operator.post(`/v1/ops/numbers/${number}/approve`)
  await check('POST /v1/ops/numbers/:number/approve', approve, {
    org: org.id,
    actor: byOperator,
    target: own,
  })
  const move = () => admin.client.put(`/v1/numbers/${number}/env`, { env: 'production' })
  await check('PUT /v1/numbers/:number/env', move, { ...by, target: own })
  const release = () => admin.client.in('production').delete(`/v1/numbers/${number}`)
  await check('DELETE /v1/numbers/:number', release, { ...by, target: own })
  const bought = newLine()
  desk.carrier.forSale.set('US', [bought])
  const buy = () => admin.client.post('/v1/numbers/buy', { country: 'US', agent: 'desk' })
  await check('POST /v1/numbers/buy', buy, { ...by, target: { kind: 'number', id: bought } })
  const typed = newLine()
  const type = () =>
    operator.post('/v1/ops/numbers', { org: org.slug, number: typed, agent: 'desk', env: 'sandbox' })
  await check('POST /v1/ops/numbers', type, {
    org: org.id,
    actor: byOperator,
    target: { kind: 'number', id: typed },
  })
})

test('the fallback accounts of a number are recorded when they change', async () => {
  const { org, admin } = await audited.newOrg()
  const by = { org: org.id, actor: byMember(admin) }
  for (const username of ['first', 'second']) {
    const peer = { kind: 'sip', username, password: 'p', addresses: ['8.8.8.8'] }
    done(await admin.client.put('/v1/carrier', { ...peer, outbound_host: 'sip.peer.example' }))
  }
  const number = newLine()
  done(await admin.client.post('/v1/numbers', { number, agent: 'desk', account: 'first' }))
  const name = () => admin.client.put(`/v1/numbers/${number}/fallbacks`, { accounts: ['second'] })
  await check('PUT /v1/numbers/:number/fallbacks', name, { ...by, target: { kind: 'number', id: number } })
  const before = await audited.trail.count()
  done(await name())
  assert.equal(await audited.trail.count(), before) // they were the same already
})

test('policies, own phones and erasures are recorded without the numbers of callers', async () => {
  const { org, admin } = await audited.newOrg()
  const by = { org: org.id, actor: byMember(admin) }
  const hold = () => admin.client.put('/v1/org/policy', { per_day: 20 })
  await check('PUT /v1/org/policy', hold, { ...by, target: { kind: 'policy' } })
  assert.deepEqual((await audited.trail.last('policy.changed')).detail, {
    per_day: { before: 200, after: 20 },
  })

  const phone = secret('+442079400001')
  const self = { ...by, target: { kind: 'member', id: admin.id } } as const
  done(await admin.client.put('/v1/line/from', { number: phone }))
  const code = /^\d{6}/.exec(desk.own.texts.at(-1)?.body ?? '')?.[0]
  await check('PUT /v1/line/from', () => admin.client.put('/v1/line/from', { number: phone, code }), self)
  await check('DELETE /v1/line/from', () => admin.client.delete('/v1/line/from'), self)

  const contact = secret('+34600111222')
  const { client } = await org.serverToken('sandbox')
  const { call } = done(await client.post('/v1/calls', { agent: 'desk' }))
  await deployment.sql('update calls set contact = $2 where id = $1', [call, contact])
  const erase = () => admin.client.delete(`/v1/contacts/${encodeURIComponent(contact)}`)
  await check('DELETE /v1/contacts/:contact', erase, {
    ...by,
    target: { kind: 'contact', id: null, label: null },
  })
})

test("an org's scenarios and its runs of them are recorded", async () => {
  const { org, admin } = await audited.newOrg()
  const { client } = admin
  const app = await AppClient.connect(deployment.url, (await org.serverToken('sandbox')).key)
  await app.register('desk')
  const by = { org: org.id, actor: byMember(admin), target: { kind: 'scenario', label: 'hello' } } as const
  const at = '/v1/evals/scenarios'
  const definition = { name: 'hello', turns: [{ say: 'Hello' }], expect: [{ ended_by: 'caller' }] }
  await check('POST /v1/evals/scenarios', () => client.post(at, { agent: 'desk', ...definition }), by)
  const [{ id }] = done(await client.get(at)).scenarios
  await check('PUT /v1/evals/scenarios/:id', () => client.put(`${at}/${id}`, definition), by)
  await deployment.gateway.services.attemptTasks.stop() // so that the run is still to be cancelled
  const run = { ...by, target: { kind: 'eval_run' } } as const
  await check('POST /v1/evals/runs', () => client.post('/v1/evals/runs', { agent: 'desk' }), run)
  const [started] = done(await client.get('/v1/evals/runs')).runs
  await check('POST /v1/evals/runs/:id/cancel', () => client.post(`/v1/evals/runs/${started.id}/cancel`), run)
  await check('DELETE /v1/evals/scenarios/:id', () => client.delete(`${at}/${id}`), by)
  await app.close()
})

test('every action of these routes was seen above, and no secret is in the log', async () => {
  assert.deepEqual(audited.unseen(orgRoutes), [])
  await audited.refuseSecretsInLog()
})
