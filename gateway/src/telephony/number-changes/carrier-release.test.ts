import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { GatewayProcess } from '../../../testing/gateway-process.ts'
import { saidWith } from '../../../testing/telephony/carrier-fake.ts'
import {
  lockReconciliation,
  newLine,
  NumberFixture,
  type NumberOrg,
} from '../../../testing/telephony/number-fixture.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { until } from '../../../testing/until.ts'

const fixture = await NumberFixture.start()
after(() => fixture[Symbol.asyncDispose]())
const { carrier, media, own, deployment } = fixture
const { tasks, carrierReleaseTask } = deployment.gateway.services
await tasks.stop(carrierReleaseTask) // so that each test says when it runs
beforeEach(() => {
  carrier.fault = () => undefined
  carrier.forSale.set('US', [newLine()])
})

const boughtBy = async (org: NumberOrg, agent = 'desk'): Promise<string> =>
  done(await org.admin.post('/v1/numbers/buy', { country: 'US', agent })).route.number
const release = (org: NumberOrg, number: string, query = '?at_carrier=true') =>
  org.admin.delete(`/v1/numbers/${number}${query}`)
const has = (number: string) => own.numbers.some(({ phone_number }) => phone_number === number)
const releases = () =>
  carrier.requests.filter(({ method, path }) => method === 'DELETE' && path.includes('/PN'))
const isAdmitted = (number: string) =>
  media.sandbox.store.trunks.some(({ numbers }) => numbers.includes(number))
const audited = async (number: string) => {
  const { rows } = await deployment.sql(
    `select target_id, detail, actor_subject from audit where action = 'number.released' and target_id = $1`,
    [number],
  )
  return rows
}

test('a bought number is released at the carrier only if the request says so', async () => {
  const org = await fixture.newOrg()
  const [kept, gone] = [await boughtBy(org), newLine()]
  carrier.forSale.set('US', [gone])
  await boughtBy(org)
  const before = releases().length
  for (const word of ['yes', '', 'TRUE'])
    refused(await release(org, kept, `?at_carrier=${word}`), 422, 'at_carrier: must be true or false')
  assert.equal((await release(org, kept, '?at_carrier=false')).status, 204)
  assert.deepEqual([has(kept), releases().length - before], [true, 0])
  const { sid } = own.numbers.find(({ phone_number }) => phone_number === gone)!
  assert.equal((await release(org, gone)).status, 204)
  assert.deepEqual([has(gone), isAdmitted(gone), await org.list()], [false, false, []])
  assert.deepEqual(
    releases()
      .slice(before)
      .map(({ path }) => path),
    [`/2010-04-01/Accounts/${own.sid}/IncomingPhoneNumbers/${sid}.json`],
  )
  assert.deepEqual(
    [(await audited(kept))[0].detail, (await audited(gone))[0].detail],
    [{}, { at_carrier: true }],
  )
  refused(await release(org, gone), 404, `this org has no number ${gone} in sandbox`)
})

test('a number of another org, of the other environment, or that was not bought stays at its carrier', async () => {
  const [org, other] = [await fixture.newOrg(), await fixture.newOrg()]
  const number = await boughtBy(org)
  const asked = carrier.requests.length
  const unknown = (env: string) => `this org has no number ${number} in ${env}`
  refused(await release(other, number), 404, unknown('sandbox'))
  refused(
    await org.admin.in('production').delete(`/v1/numbers/${number}?at_carrier=1`),
    404,
    unknown('production'),
  )
  const imported = newLine()
  const account = await org.account(imported)
  await org.imported({ number: imported })
  const hooked = newLine()
  await org.imported({ number: hooked, hooked: true })
  for (const one of [imported, hooked])
    refused(
      await release(org, one),
      409,
      `${one} was not bought by the platform, so the platform cannot release it at its carrier: leave out at_carrier, and end it at the carrier yourself`,
    )
  assert.deepEqual([account.numbers.length, has(number), (await org.list()).length], [1, true, 3])
  assert.deepEqual(
    carrier.requests.slice(asked).filter(({ method }) => method === 'DELETE'),
    [],
  )
})

test('releasing at the carrier takes the numbers scope, production access there, and the agent of the number', async () => {
  const org = await fixture.newOrg()
  const number = await boughtBy(org)
  const at = `/v1/numbers/${number}?at_carrier=true`
  for (const role of ['developer', 'supervisor', 'qa'] as const)
    refused(
      await (await org.org.person(role)).client.delete(at),
      403,
      /^this key does not open numbers: it opens /,
    )
  refused(await deployment.anonymous.delete(at), 401, /./)
  const { key } = await org.org.serverToken('sandbox')
  assert.equal((await deployment.anonymous.as(key).delete(at)).status, 403)
  const manager = (await org.org.person('manager')).client
  assert.equal((await manager.in('production').delete(at)).status, 403)
  const narrowed = (await org.org.person('manager', { agents: ['sales'] })).client
  refused(await narrowed.delete(at), 403, 'this key works on sales alone')
  assert.equal(has(number), true)
  assert.equal((await manager.delete(at)).status, 204)
  assert.equal(has(number), false)
})

test('of two releases at the same time, on two gateways, one is done and the number is released once', async () => {
  await using second = await deployment.another()
  const org = await fixture.newOrg()
  const number = await boughtBy(org)
  const there = second.anonymous.as((await org.org.person('admin')).key)
  const before = releases().length
  const answers = await Promise.all([
    release(org, number),
    there.delete(`/v1/numbers/${number}?at_carrier=true`),
    release(org, number),
    release(org, number, ''),
  ])
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [204, 404, 404, 404],
  )
  assert.ok(releases().length - before <= 1) // none if the one without at_carrier came first
  assert.deepEqual([await org.list(), (await audited(number)).length], [[], 1])
})

test('a release that the carrier refuses changes nothing', async () => {
  const org = await fixture.newOrg()
  const number = await boughtBy(org)
  carrier.fault = ({ method }) =>
    method === 'DELETE' ? { status: 400, code: 21404, message: 'It is in use' } : undefined
  refused(await release(org, number), 502, `the carrier says: ${saidWith('It is in use', 21404)}`)
  carrier.fault = () => undefined
  await carrierReleaseTask.run(new AbortController().signal)
  assert.deepEqual([has(number), isAdmitted(number), (await org.list()).length], [true, true, 1])
  await using poor = await deployment.another({
    SVC_CARRIER_ACCOUNT_SID: '',
    SVC_CARRIER_USER: '',
    SVC_CARRIER_SECRET: '',
  })
  refused(
    await poor.anonymous.as((await org.org.person('admin')).key).delete(`/v1/numbers/${number}?at_carrier=1`),
    503,
    'this platform has no carrier account of its own: set SVC_CARRIER_ACCOUNT_SID',
  )
})

test('a number that the carrier has no more leaves the org', async () => {
  const org = await fixture.newOrg()
  const number = await boughtBy(org)
  own.numbers.splice(
    own.numbers.findIndex(({ phone_number }) => phone_number === number),
    1,
  )
  const before = releases().length
  assert.equal((await release(org, number)).status, 204)
  assert.deepEqual([releases().length - before, await org.list()], [0, []])
})

test('a release whose answer is lost is finished by itself, and never touches the same number bought again', async () => {
  const org = await fixture.newOrg()
  const number = await boughtBy(org)
  for (const isDone of [false, true]) {
    carrier.dieAfter(isDone ? 1 : 0)
    // the first finds the carrier dead before the release begins, so nothing is begun
    const sentence = isDone
      ? `the carrier did not answer: ${number} is still being released, and leaves this org as soon as the carrier confirms it`
      : 'the carrier did not answer'
    refused(await release(org, number), 502, sentence)
    carrier.revive()
    assert.deepEqual([has(number), (await org.list()).length], [!isDone, 1])
  }
  own.addNumber(number) // bought again, by hand: it has another id
  await carrierReleaseTask.run(new AbortController().signal)
  assert.deepEqual([has(number), await org.list(), isAdmitted(number)], [true, [], false])
  const [entry] = await audited(number)
  const admin = done(await org.admin.get('/v1/whoami'))
  assert.deepEqual([entry.detail, entry.actor_subject], [{ at_carrier: true }, admin.subject])
})

test('a release that the carrier does not confirm is begun, and repeated until it does', async () => {
  const org = await fixture.newOrg()
  const number = await boughtBy(org)
  carrier.fault = ({ method }) => (method === 'DELETE' ? { status: 503, message: 'Later' } : undefined)
  refused(
    await release(org, number),
    502,
    `the carrier says: ${saidWith('Later')}: ${number} is still being released, and leaves this org as soon as the carrier confirms it`,
  )
  assert.equal((await org.list()).length, 1)
  carrier.fault = () => undefined
  assert.equal((await release(org, number)).status, 204)
  assert.deepEqual([has(number), await org.list()], [false, []])
})

test('a gateway killed between the carrier’s release and its own row leaves nothing half released', async () => {
  const org = await fixture.newOrg()
  const number = await boughtBy(org)
  const { key } = await org.org.person('admin')
  const { account_sid, user, secret } = own.login
  await using _ = await lockReconciliation(deployment)
  await using dying = await GatewayProcess.start(deployment, {
    SVC_DOMAIN: 'voice.example',
    ...carrier.settings,
    SVC_CARRIER_ACCOUNT_SID: account_sid,
    SVC_CARRIER_USER: user,
    SVC_CARRIER_SECRET: secret,
    SVC_MEDIA_URL: media.sandbox.address.url,
    SVC_MEDIA_KEY: media.sandbox.key,
    SVC_MEDIA_SECRET: media.sandbox.secret,
  })
  const before = releases().length
  const client = await deployment.gateway.services.database.pool.connect()
  try {
    // Nothing can be deleted, so the row stays when the carrier has released the number.
    await client.query('begin; lock table admissions_due in access exclusive mode')
    const asked = fetch(`${dying.url}/v1/numbers/${number}?at_carrier=true`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${key}` },
    })
    const waits = `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%admissions_due%'`
    const isStuck = async () => !has(number) && (await deployment.sql(waits)).rows.length > 0
    await Promise.all([assert.rejects(asked), until('it is stuck', isStuck).then(() => dying.kill())])
  } finally {
    await client.query('rollback')
    client.release()
  }
  assert.deepEqual([has(number), (await org.list()).length, (await audited(number)).length], [false, 1, 0])
  tasks.start(carrierReleaseTask) // as when a gateway starts
  await until('the row is gone', async () => (await org.list()).length === 0)
  await until('it is admitted no more', () => !isAdmitted(number))
  assert.deepEqual([(await audited(number)).length, releases().length - before], [1, 2])
})
