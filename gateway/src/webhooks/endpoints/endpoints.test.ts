import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { done } from '../../../testing/agents/test-agents.ts'
import { refused } from '../../../testing/client.ts'
import { receiverHost, startWebhookDeployment } from '../../../testing/webhooks/webhook-deployment.ts'
import { verified } from '../../../testing/webhooks/webhook-receiver.ts'

const webhooks = await startWebhookDeployment()
after(() => webhooks[Symbol.asyncDispose]())
const { deployment, receiver, dns } = webhooks
const at = '/v1/webhooks'
const url = receiver.at(receiverHost)

test('a webhook is created with a secret that is shown once, changed, listed in its environment and deleted', async () => {
  const { admin } = await webhooks.newOrg()
  const made = done(await admin.post(at, { url, description: 'CRM', types: ['number.*', 'call.ended'] }))
  assert.match(made.secret, /^whsec_/)
  assert.deepEqual(made.types, [
    'call.ended',
    'number.routed',
    'number.bought',
    'number.moved',
    'number.approved',
    'number.fallbacks_set',
    'number.released',
  ])
  const { secret: _secret, ...shown } = made
  assert.deepEqual(done(await admin.get(at)), { webhooks: [shown] })
  assert.deepEqual(done(await admin.in('production').get(at)), { webhooks: [] })
  const changed = done(
    await admin.patch(`${at}/${made.id}`, { types: null, agents: ['sales', 'desk', 'desk'] }),
  )
  assert.deepEqual(
    [changed.types, changed.agents, changed.description, changed.state],
    [null, ['desk', 'sales'], 'CRM', 'active'],
  )
  assert.deepEqual(done(await admin.get(`${at}/${made.id}`)), changed)
  assert.equal((await admin.delete(`${at}/${made.id}`)).status, 204)
  refused(await admin.delete(`${at}/${made.id}`), 404, `this org has no webhook ${made.id} in sandbox`)
})

test('a secret is sealed in the database, and after a rotation both sign for as long as was asked', async () => {
  const { admin, create } = await webhooks.newOrg()
  const { id, secret } = await create('/rotated')
  const { rows } = await deployment.sql(`select sealed from webhook_endpoints where id = $1`, [id])
  assert.ok(!rows[0].sealed.toString('latin1').includes(secret.slice(6, 20)))
  refused(
    await admin.post(`${at}/${id}/rotate`, { older_for_s: 604_801 }),
    400,
    'older_for_s must be between 0 and 604800, a week (got 604801)',
  )
  const rotated = done(await admin.post(`${at}/${id}/rotate`, { older_for_s: 3600 }))
  assert.notEqual(rotated.secret, secret)
  assert.ok(Date.parse(rotated.older_secret_until) > Date.now())
  done(await admin.post(`${at}/${id}/test`))
  const [both] = await receiver.events('/rotated', 1)
  assert.ok(both)
  for (const each of [secret, rotated.secret]) verified(each, both)
  const last = done(await admin.post(`${at}/${id}/rotate`, { older_for_s: 0 }))
  assert.equal(last.older_secret_until, null)
  done(await admin.post(`${at}/${id}/test`))
  const [, alone] = await receiver.events('/rotated', 2)
  assert.ok(alone)
  verified(last.secret, alone)
  assert.throws(() => verified(secret, alone))
})

test('an address that events could not or must not be sent to is refused with what to do', async () => {
  const { admin } = await webhooks.newOrg()
  dns.set('inside.example', { A: ['10.0.0.7'] })
  dns.set('public.example', { A: ['93.184.216.34'] })
  const form =
    'url is an address of https without a user in it, of at most 500 characters, such as https://example.com/hooks'
  const refusals = {
    'ftp://public.example/': form,
    'https://me:secret@public.example/': form,
    [`https://public.example/${'a'.repeat(500)}`]: form,
    nothing: form,
    'https://public.example/#part': 'url has no part behind a #: it would not be sent',
    'http://public.example/': 'url: use https, because http would show what is said in calls to the network',
    'https://inside.example/': 'url: inside.example resolves to an address that is not public',
    'https://169.254.169.254/latest': 'url: 169.254.169.254 resolves to an address that is not public',
    'https://[::1]/': 'url: ::1 resolves to an address that is not public',
    'https://nosuch.example/': 'url: nosuch.example resolves to nothing',
  }
  for (const [address, sentence] of Object.entries(refusals))
    refused(await admin.post(at, { url: address }), 400, sentence)
  const { id } = done(await admin.post(at, { url }))
  refused(
    await admin.patch(`${at}/${id}`, { url: 'https://inside.example/' }),
    400,
    'url: inside.example resolves to an address that is not public',
  )
  const others = [
    [{ types: [] }, 'types is a list of at least one event type, or null for all'],
    [{ types: ['call.end'] }, /^types: there is no event call\.end; there are call\.dialing · /],
    [{ agents: [] }, 'agents is a list of 1 to 100 agents, or null for all'],
    [{ agents: [''] }, 'agents: an agent has a name of 1 to 64 characters'],
    [{ description: 'a'.repeat(201) }, 'description is at most 200 characters'],
  ] as const
  for (const [wanted, sentence] of others) refused(await admin.patch(`${at}/${id}`, wanted), 400, sentence)
})

test('developers, managers and admins may; a person who works on some agents sees and makes webhooks of these alone', async () => {
  const { org, create } = await webhooks.newOrg()
  const whole = await create('/whole')
  const ofSales = await create('/sales', { agents: ['sales'] })
  const { client } = await org.person('developer', { agents: ['sales'] })
  const listed = done(await client.get(at)).webhooks.map(({ id }: { id: string }) => id)
  assert.deepEqual(listed, [ofSales.id])
  refused(await client.get(`${at}/${whole.id}`), 404, `this org has no webhook ${whole.id} in sandbox`)
  refused(
    await client.get(`${at}/${whole.id}/deliveries`),
    404,
    `this org has no webhook ${whole.id} in sandbox`,
  )
  refused(await client.post(at, { url }), 400, 'agents: choose from those of your key: sales')
  refused(await client.post(at, { url, agents: ['desk'] }), 403, 'this key works on sales alone')
  refused(
    await client.patch(`${at}/${ofSales.id}`, { agents: null }),
    400,
    'agents: choose from those of your key: sales',
  )
  done(await client.post(at, { url, agents: ['sales'] }))
  done(await (await org.person('manager')).client.get(at))
  const qa = await org.person('qa')
  refused(await qa.client.get(at), 403, /^this key does not open pipeline or team/)
})

test('of two requests at the same instant on two gateways one takes the last of twenty', async () => {
  const { org, admin } = await webhooks.newOrg()
  await using other = await deployment.another()
  const { key } = await org.person('admin')
  for (let made = 0; made < 19; made += 1) done(await admin.post(at, { url }))
  const answers = await Promise.all([
    admin.post(at, { url }),
    other.anonymous.as(key).in('sandbox').post(at, { url }),
  ])
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201, 409]))
  const late = answers.find(({ status }) => status === 409)
  assert.ok(late)
  refused(late, 409, 'this org has 20 webhooks in sandbox, the most: delete one first')
})

test('every event type is listed with its schema', async () => {
  const { admin } = await webhooks.newOrg()
  const { types } = done(await admin.get(`${at}/event-types`))
  const ended = types.find(({ type }: { type: string }) => type === 'call.ended')
  assert.deepEqual(Object.keys(ended.data.properties.summary.properties), [
    'turns',
    'tools',
    'errors',
    'usage',
    'callbacks',
    'truncated',
  ])
})
