import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { AppClient } from '../../../testing/agents/app-client.ts'
import { saidWith } from '../../../testing/telephony/carrier-fake.ts'
import { refused } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { newLine, NumberFixture, type NumberOrg } from '../../../testing/telephony/number-fixture.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { until } from '../../../testing/until.ts'
import { secondMs } from '../../foundation/clock.ts'

const fixture = await NumberFixture.start({ separate: true })
after(() => fixture[Symbol.asyncDispose]())
const { carrier, media, messaging, deployment } = fixture

const numbersIn = (rows: { route: { number: string } }[]) => rows.map(({ route }) => route.number)

test('numbers are listed oldest first, one row each, in the environment of the key (N-106, N-152, N-153, ND-02)', async () => {
  const org = await fixture.newOrg()
  const [first, second, third, live] = [newLine(), newLine(), newLine(), newLine()]
  for (const number of [second, first, third]) await org.imported({ number, hooked: true })
  await org.imported({ number: live, hooked: true }, 'production')
  await org.imported({ number: second, hooked: true, agent: 'sales' })
  assert.deepEqual(numbersIn(await org.list()), [second, first, third])
  assert.deepEqual(numbersIn(await org.list('production')), [live])
  const token = await org.org.serverToken('production', { scopes: ['numbers'] })
  assert.deepEqual(numbersIn(done(await token.client.get('/v1/numbers')).numbers), [live])
})

test('the path of a number has four steps, and is 404 if the org does not have it (N-038, N-039, N-154, N-155, N-156, N-514, ND-05, ND-36)', async () => {
  const [org, other] = [await fixture.newOrg(), await fixture.newOrg()]
  const number = newLine()
  await org.imported({ number, hooked: true })
  const path = await org.path(number)
  assert.deepEqual(Object.keys(path), ['number', 'steps', 'rings', 'last_call_at'])
  assert.deepEqual(
    path.steps.map((step: object) => Object.keys(step)),
    Array.from({ length: 4 }, () => ['step', 'state', 'says', 'fix']),
  )
  assert.deepEqual(
    path.steps.map(({ step, state }: Record<string, string>) => `${step} ${state}`),
    ['carrier waiting', 'fence ok', 'rule ok', 'agent broken'],
  )
  assert.deepEqual([path.number, path.rings, path.last_call_at], [number, 'broken', null])
  assert.equal(
    path.steps[0].fix,
    `point it at sip:${number}@voice.example:5060 where it comes from, and call it`,
  )
  assert.deepEqual(await org.path(`%2B${number.slice(1)}`), path)
  refused(
    await other.admin.get(`/v1/numbers/${number}/path`),
    404,
    `this org has no number ${number} in sandbox`,
  )
  refused(
    await org.admin.in('production').get(`/v1/numbers/${number}/path`),
    404,
    `this org has no number ${number} in production`,
  )
  for (const method of ['get', 'delete'] as const) {
    const at = method === 'get' ? '/v1/numbers/5551234/path' : '/v1/numbers/5551234'
    refused(await org.admin[method](at), 404, 'there is no number 5551234')
  }
})

test('an app that one person holds for themselves in the sandbox serves no caller (N-068, N-069)', async () => {
  const org = await fixture.newOrg()
  const number = newLine()
  await org.account(number)
  await org.imported({ number })
  const { key } = await org.org.person('developer')
  const own = await AppClient.connect(deployment.url, key)
  assert.equal((await own.register('desk')).type, 'agent.registered')
  assert.equal((await org.path(number)).rings, 'broken')
  const app = await org.holdingApp()
  assert.equal((await org.path(number)).rings, 'ok')
  await app.close()
  await until('no app holds it', async () => (await org.path(number)).rings === 'broken')
  await own.close()
})

test('how numbers ring is read from the tables while nothing outside answers (N-070, T-52, ND-27)', async () => {
  const org = await fixture.newOrg()
  const numbers = [newLine(), newLine(), newLine()]
  const [mine, peers, written] = numbers as [string, string, string]
  const account = await org.account(mine)
  await org.peer('pbx', '8.8.8.8')
  const { phone_number_id, access_token } = messaging.addNumber(written)
  done(await org.admin.put('/v1/carrier', { phone_number_id, access_token }))
  await org.imported({ number: mine, account: account.sid })
  await org.imported({ number: peers, account: 'pbx' })
  await org.imported({ number: written, channel: 'msgapp' })
  carrier.fault = messaging.fault = () => 'breaks'
  for (const env of ['sandbox', 'production'] as const) media[env].dieAfter(0, false)
  const asked = [...fixture.asked, messaging.requests.length]
  assert.deepEqual(
    (await org.list()).map(({ rings }: { rings: string }) => rings),
    ['broken', 'broken', 'broken'],
  )
  for (const number of numbers) await org.path(number)
  assert.deepEqual([...fixture.asked, messaging.requests.length], asked)
  carrier.fault = messaging.fault = () => undefined
  for (const env of ['sandbox', 'production'] as const) media[env].revive()
})

test('every number of every account is offered, from all pages, and whether this environment has it (N-139, N-140, N-141, N-142, N-144, T-44, ND-22)', async () => {
  const org = await fixture.newOrg()
  const many = Array.from({ length: 250 }, newLine)
  const first = await org.account(...many)
  const written = newLine()
  const { phone_number_id, access_token } = messaging.addNumber(written, 'Acme')
  done(await org.admin.put('/v1/carrier', { phone_number_id, access_token }))
  const second = await org.account(newLine())
  await org.imported({ number: many.at(-1), account: first.sid })
  const { kind, numbers } = done(await org.admin.get('/v1/numbers/available'))
  assert.equal(kind, 'apicarrier')
  const [other] = second.numbers
  const shown = (number: string, name: string, account: string) => ({
    number,
    name,
    imported: number === many.at(-1),
    account,
  })
  assert.deepEqual(numbers, [
    ...first.numbers.map((one) => shown(one.phone_number, one.friendly_name, first.sid)),
    shown(written, 'Acme', phone_number_id),
    shown(other!.phone_number, other!.friendly_name, second.sid),
  ])
  const live = done(await org.admin.in('production').get('/v1/numbers/available')).numbers
  assert.ok(live.every(({ imported }: { imported: boolean }) => !imported))
})

test('what is offered if there is no API carrier, no token or no account at all (N-143, N-361, N-362, ND-22)', async () => {
  const org = await fixture.newOrg()
  const available = () => org.admin.get('/v1/numbers/available')
  refused(await available(), 404, 'this org holds no carrier account: add one with PUT /v1/carrier')
  const kept = messaging.addNumber(newLine(), 'Acme')
  const { phone_number_id: account, access_token } = kept
  done(await org.admin.put('/v1/carrier', { phone_number_id: account, access_token }))
  kept.access_token = 'another'
  const none = { number: null, name: null, imported: false, account }
  assert.deepEqual(done(await available()), { kind: 'msgapp', numbers: [none] })
  assert.match(deployment.log(), /the messaging platform does not open an account/)
  assert.ok(!deployment.log().includes(access_token))
  await org.peer('pbx', '8.8.8.8')
  assert.deepEqual(done(await available()), { kind: 'sip', numbers: [none] })
  done(await org.admin.delete(`/v1/carrier?account=${account}`))
  assert.deepEqual(done(await available()), { kind: 'sip', numbers: [] })
  await org.account()
  carrier.fault = () => ({ status: 500, message: 'Oops' })
  refused(await available(), 502, `the carrier says: ${saidWith('Oops')}`)
  carrier.fault = () => undefined
})

test('the endpoints of numbers take a key that opens numbers (N-105, N-398)', async () => {
  const org = await fixture.newOrg()
  const { client } = await org.org.serverToken('sandbox')
  const refusal = 'this key does not open numbers: it opens app · calls · talk · knowledge · evals'
  const at = `/v1/numbers/${newLine()}`
  const asked = [
    client.get('/v1/numbers'),
    client.get('/v1/numbers/available'),
    client.post('/v1/numbers', {}),
    client.post('/v1/numbers/buy', {}),
    client.get(`${at}/path`),
    client.put(`${at}/env`, {}),
    client.delete(at),
  ]
  for (const answer of await Promise.all(asked)) refused(answer, 403, refusal)
  assert.equal((await deployment.anonymous.get('/v1/numbers')).status, 401)
})

test('without a media setting the embedded plane admits the numbers of both environments (ND-30)', async () => {
  await using bare = await startDeployment({ SVC_DOMAIN: 'voice.example' })
  const org = await bare.newOrg()
  const { client } = await org.person('admin')
  for (const env of ['sandbox', 'production'] as const) {
    const number = newLine()
    const body = { number, agent: 'desk', hooked: true }
    const fence = `${org.id}/${env}/apicarrier`
    const { steps } = done(await client.in(env).post('/v1/numbers', body))
    assert.deepEqual(steps, [
      `inbound trunk ${fence}, for calls sent to sip:${number}@voice.example:5060: done`,
      `rule ${org.id}/${env}: done`,
      `route ${number} to desk: done`,
    ])
    const { rows } = await bare.sql('select numbers, fleet from fences where name = $1', [fence])
    assert.deepEqual(rows, [{ numbers: [number], fleet: env }])
    const path = done(await client.in(env).get(`/v1/numbers/${number}/path`))
    assert.equal(path.steps[2].state, 'ok')
    assert.equal((await client.in(env).delete(`/v1/numbers/${number}`)).status, 204)
    assert.equal((await bare.sql('select from fences where name = $1', [fence])).rows.length, 0)
  }
})

test('a release takes the route, the trunk and the rule away, and leaves the carrier alone (N-157, N-158, N-159, N-160, N-191, N-192, T-37, ND-03, ND-37)', async () => {
  const org = await fixture.newOrg()
  const [first, second] = [newLine(), newLine()]
  const account = await org.account(first, second)
  await org.imported({ number: first })
  await org.imported({ number: second })
  const written = carrier.writes.length
  const letGo = (number: string, of: NumberOrg = org) => of.admin.delete(`/v1/numbers/${number}`)
  refused(await letGo(first, await fixture.newOrg()), 404, `this org has no number ${first} in sandbox`)
  refused(
    await org.admin.in('production').delete(`/v1/numbers/${first}`),
    404,
    `this org has no number ${first} in production`,
  )
  const answer = await letGo(first)
  assert.deepEqual([answer.status, answer.text], [204, ''])
  assert.deepEqual(numbersIn(await org.list()), [second])
  assert.deepEqual(org.trunk('sandbox', 'apicarrier')?.numbers, [second])
  assert.equal((await letGo(second)).status, 204)
  assert.deepEqual([org.trunk('sandbox', 'apicarrier'), org.rule('sandbox')], [undefined, undefined])
  refused(await letGo(second), 404, `this org has no number ${second} in sandbox`)
  assert.equal(carrier.writes.length, written)
  assert.equal(account.numbers.length, 2)
  const { numbers } = done(await org.admin.get('/v1/numbers/available'))
  assert.ok(numbers.every(({ imported }: { imported: boolean }) => !imported))
  done(await (await fixture.newOrg()).import({ number: first, hooked: true }))
})

test('a number is released also while the media server fails, which is retried (ND-37, N-386)', async () => {
  const org = await fixture.newOrg()
  const [first, second] = [newLine(), newLine()]
  await org.imported({ number: first, hooked: true })
  await org.imported({ number: second, hooked: true })
  media.sandbox.dieAfter(0, false)
  assert.equal((await org.admin.delete(`/v1/numbers/${first}`)).status, 204)
  assert.deepEqual(numbersIn(await org.list()), [second])
  assert.equal((await org.path(second)).steps[2].state, 'waiting')
  assert.deepEqual(org.trunk('sandbox', 'apicarrier')?.numbers, [first, second])
  media.sandbox.revive()
  deployment.clock.forward(2 * secondMs)
  await until('it is retried', () => org.trunk('sandbox', 'apicarrier')?.numbers.length === 1)
  assert.deepEqual(org.trunk('sandbox', 'apicarrier')?.numbers, [second])
  await until('it is admitted', async () => (await org.path(second)).steps[2].state === 'ok')
})
