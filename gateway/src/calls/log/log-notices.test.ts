import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { range, said, TestLogs } from '../../../testing/calls/test-logs.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { until } from '../../../testing/until.ts'
import { longestSignal, type Signals } from '../../database/signals.ts'
import { agentLog, callLog, stamped } from './entries.ts'
import { LiveLogs } from './live-logs.ts'
import { Log } from './log.ts'
import { LogNotices } from './log-notices.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const other = await deployment.another()
const logs = await TestLogs.of(deployment)

/** Signals that reach no gateway, with what was sent. */
function lostSignals() {
  const sent: string[] = []
  const signals: Signals = {
    on() {},
    send: (_channel, payload = '') => void sent.push(payload),
    async start() {},
    async stop() {},
    whyDegraded: undefined,
  }
  return { sent, signals }
}

const logAt = (n: number) => callLog({ id: `call_${n}`, org: 'org', env: 'sandbox', agent: 'desk' })
const keptAt = (seq: number) => [{ seq, type: 'user.message', entry: '{}' }]
const messagesIn = (payload: string) =>
  payload
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line))

test('one notice has all logs that grew meanwhile, each with its newest entry', async () => {
  const { sent, signals } = lostSignals()
  const notices = new LogNotices(signals, 'gw_1')
  for (const seq of range(1, 50)) for (const n of range(1, 20)) notices.grew(logAt(n), keptAt(seq))
  await until('it is sent', () => sent.length > 0)
  assert.equal(sent.length, 1)
  assert.match(sent[0] ?? '', /^gw_1\n/)
  assert.deepEqual(
    messagesIn(sent[0] ?? ''),
    range(1, 20).map((n) => [`call_${n}`, 50]),
  )
})

test('what is too much for one notice goes in several, each short enough for PostgreSQL, and an entry too long for any stays here', () => {
  const { sent, signals } = lostSignals()
  const notices = new LogNotices(signals, 'gw_1')
  const now = new Date()
  for (const n of range(1, 3000)) notices.grew(logAt(n), keptAt(1))
  notices.showed(logAt(1), stamped(logAt(1), said('ü'.repeat(5000)), now, true))
  notices.showed(logAt(1), stamped(logAt(1), said('short'), now, true))
  notices.flush()
  assert.ok(sent.length > 1)
  for (const payload of sent) assert.ok(Buffer.byteLength(payload) <= longestSignal)
  const messages = sent.flatMap(messagesIn)
  assert.equal(messages.length, 3001)
  assert.match(messages.at(-1)[2], /short/)
})

test('readers on other gateways get every entry of a gateway that died after the commit and before its notice', async () => {
  const { database, clock, logger, liveLogs, runningGateways } = deployment.gateway.services
  const { sent, signals } = lostSignals()
  const gateway = runningGateways.id
  const dying = new Log({ database, clock, logger, liveLogs, signals, gateway, charge: async () => {} })
  const call = await logs.open(1)
  const own = agentLog({ org: logs.org.id, env: 'sandbox', agent: 'desk' })
  using reader = await logs.read(call.at, { at: other })
  using ownReader = await logs.read('/v1/agents/desk/events', { at: other })
  await reader.came('log.caught_up')
  await ownReader.came('log.caught_up')
  const before = ownReader.seqs.at(-1) ?? 0
  await dying.append(call, [said('2')])
  await database.transaction((tx) => dying.appendIn(tx, call, [said('3')]))
  await dying.append(own, [said('own')])
  await until('the call is read', () => reader.seqs.length === 3)
  await until("the agent's own log is read", () => (ownReader.seqs.at(-1) ?? 0) === before + 1)
  assert.deepEqual(reader.seqs, [1, 2, 3])
  await dying.settled()
  assert.ok(sent.length > 0) // nobody heard it
})

test('a gateway looks for lost notices in one statement for all logs that it follows, and not at all without', async () => {
  const { database, logger } = other.gateway.services
  const statements: string[] = []
  const rows = database.rows
  const counted = Object.assign(Object.create(database), {
    rows: (...asked: Parameters<typeof rows>) => (statements.push(asked[0].text), rows(...asked)),
  })
  const liveLogs = new LiveLogs(counted, lostSignals().signals, 'gw_test', logger)
  await liveLogs.check()
  assert.equal(statements.length, 0)
  const seen: number[] = []
  const calls = await Promise.all(range(1, 5).map(() => logs.open(1)))
  const stops = await Promise.all(
    calls.map(({ id }) => liveLogs.follow(id, (entries) => seen.push(...entries.map(({ seq }) => seq)))),
  )
  for (const call of calls) await logs.write(call, [said('2')])
  await liveLogs.check()
  assert.equal(statements.filter((text) => text.includes('as known')).length, 1)
  await until('all are read', () => seen.length === 5)
  statements.length = 0
  await liveLogs.check()
  assert.equal(statements.length, 1)
  for (const { stop } of stops) stop()
})
