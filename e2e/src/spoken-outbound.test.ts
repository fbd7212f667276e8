import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { until } from '@switchroom/launcher/testing/waiting'
import { Carrier } from './spoken-carrier.ts'
import { startVoiceAgent, typesOf, type Entry } from './spoken-fixture.ts'

const loud = 500

const fixture = await startVoiceAgent({ after }, { settings: { greeting: { say: 'Hello.' } } })
const carrier = await Carrier.open({ after }, fixture)
const { client } = await fixture.org.serverToken('sandbox', { scopes: ['talk'] })

async function dial(to: string): Promise<string> {
  const dialled = await client.post('/v1/agents/hello/dial', { to })
  assert.equal(dialled.status, 202, dialled.text)
  return dialled.body.call
}

test('an agent calls a person through the trunk of its org, is heard, and the call ends when they hang up', async () => {
  const call = await dial(await carrier.reach('+34610000001'))
  const { dialog, leg } = await carrier.answer()
  for await (const frame of leg.heard()) if (frame.some((sample) => Math.abs(sample) > loud)) break
  const isTold = ({ type }: Entry) => type === 'call.answered_by'
  const told = await fixture.untilLogged(call, 'who answered', (log) => log.some(isTold))
  assert.deepEqual(told.find(isTold)?.data, { by: 'unknown' }) // they say nothing
  await dialog.bye()
  const entries = await fixture.untilEnded(call)
  // who answered comes when it is known, and how the line is each minute
  const types = typesOf(entries.filter((entry) => !isTold(entry) && entry.type !== 'metrics'))
  assert.deepEqual(types.slice(0, 4), ['call.dialing', 'call.answered', 'call.started', 'bot.speaking'])
  assert.equal(entries.at(-1)?.data['reason'], 'hangup')
})

test('who is busy, declines or does not answer ends the call so, and its log says why in words', async () => {
  const table = [
    [486, 'busy', 'busy (486 Busy Here)'],
    [603, 'busy', 'declined (603 Decline)'],
    [480, 'no_answer', 'the phone cannot be reached now (480 Temporarily Unavailable)'],
    [503, 'dial_failed', 'the carrier is overloaded or out of service (503 Service Unavailable)'],
  ] as const
  for (const [place, [status, reason, why]] of table.entries()) {
    const call = await dial(await carrier.reach(`+3461000001${place}`))
    const invite = await carrier.nextRing()
    invite.reject(status)
    const entries = await fixture.untilEnded(call)
    const ended = entries.at(-1)?.data
    assert.deepEqual([ended?.['reason'], ended?.['why'], ended?.['sip_status']], [reason, why, status])
  }
})

test('a call that is ended while it rings rings no longer', async () => {
  const call = await dial(await carrier.reach('+34610000021'))
  const invite = await carrier.nextRing()
  const supervisor = await fixture.org.person('admin')
  const ended = await supervisor.client.post(`/v1/calls/${call}/verbs`, { verb: 'end' })
  assert.ok(ended.status < 300, ended.text)
  await until('it stops', () => invite.signal.aborted)
})

test("a trunk at an address that is not public is dialled only if the operator's settings allow it", async (t) => {
  const fenced = await startVoiceAgent(t, {}, { worker: { SVC_PRIVATE_HOSTS: '' } })
  const other = await Carrier.open(t, fenced)
  const asked = await fenced.org.serverToken('sandbox', { scopes: ['talk'] })
  const dialled = await asked.client.post('/v1/agents/hello/dial', { to: await other.reach('+34610000022') })
  assert.equal(dialled.status, 202, dialled.text)
  const entries = await fenced.untilEnded(dialled.body.call)
  const why = '127.0.0.1 is at an address that may not be dialled'
  assert.deepEqual(entries.at(-1)?.data, { reason: 'dial_failed', why })
  assert.equal(other.rang.length, 0)
})

test('a call that the account of the number cannot carry goes out through the fallback account, and is heard', async () => {
  const numbers = await fixture.org.serverToken('sandbox', { scopes: ['numbers', 'calls'] })
  const dead = createSocket('udp4').bind(0, '127.0.0.1') // it takes what comes, and says nothing
  await once(dead, 'listening')
  try {
    const account = {
      kind: 'sip',
      username: 'down',
      password: 'of no use',
      addresses: ['8.8.4.0/24'],
      outbound_host: `127.0.0.1:${dead.address().port}`,
    }
    assert.equal((await numbers.client.put('/v1/carrier', account)).status, 200)
    await fixture.deployment.sql(`update numbers set account = 'down' where number = $1`, [carrier.from])
    const named = await numbers.client.put(`/v1/numbers/${carrier.from}/fallbacks`, { accounts: ['peer'] })
    assert.equal(named.status, 200, named.text)
    const call = await dial(await carrier.reach('+34610000031'))
    const { dialog, leg } = await carrier.answer()
    for await (const frame of leg.heard()) if (frame.some((sample) => Math.abs(sample) > loud)) break
    await dialog.bye()
    const entries = await fixture.untilEnded(call)
    const answered = entries.find(({ type }) => type === 'call.answered')
    const failed_accounts = [{ account: 'down', sip_status: null, why: 'the carrier did not answer' }]
    assert.deepEqual(answered?.data, { account: 'peer', failed_accounts })
    const { dials } = (await numbers.client.get('/v1/org/dials')).body
    const rows = dials.filter((row: { call: string }) => row.call === call)
    assert.deepEqual([rows.length, rows[0].result.account], [1, 'peer'])
  } finally {
    await fixture.deployment.sql(
      `update numbers set account = 'peer', fallback_accounts = '{}' where number = $1`,
      [carrier.from],
    )
    dead.close()
  }
})
