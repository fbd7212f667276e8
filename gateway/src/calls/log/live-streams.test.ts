import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { EventSource } from 'eventsource'
import { cuttableLine } from '../../../testing/cuttable-line.ts'
import { fleetKey, startDeployment } from '../../../testing/deployment.ts'
import { ends, range, said, TestLogs } from '../../../testing/calls/test-logs.ts'
import { until } from '../../../testing/until.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const logs = await TestLogs.of(deployment)
const { org } = logs
const { log } = deployment.gateway.services
/** Long before anything would come by itself. */
const soonMs = 8000

test('headers and entries are sent at once, unpacked, and nothing on the way may hold them back (T-95)', async () => {
  const call = await logs.open()
  using reader = await logs.read(call.at, { 'accept-encoding': 'gzip, br' })
  const { 'content-type': type, 'cache-control': cache, 'x-accel-buffering': buffering } = reader.headers
  assert.deepEqual([type, cache, buffering], ['text/event-stream', 'no-store', 'no'])
  assert.equal(reader.headers['content-encoding'], undefined)
  assert.match(String(reader.headers['x-request-id']), /^req_/)
  await reader.came('log.caught_up')
  for (const n of [1, 2, 3]) {
    await logs.write(call, [said(`${n}`)])
    await until('it came', () => reader.seqs.at(-1) === n, soonMs)
  }
})

test('a stream closes after the end of its call was sent, and at once after the replay when it had ended (ND-104, T-95)', async () => {
  const call = await logs.open(1)
  using live = await logs.read(call.at)
  await live.came('log.caught_up')
  await logs.write(call, [said('bye'), ends])
  await until('the stream ends', () => live.isEnded, soonMs)
  assert.deepEqual(live.types, ['user.message', 'log.caught_up', 'user.message', 'call.ended'])
  using late = await logs.read(call.at)
  await until('the replay ends', () => late.isEnded, soonMs)
  assert.deepEqual(late.types, ['user.message', 'user.message', 'call.ended', 'log.caught_up'])
  for (const cursor of ['3', '9']) {
    using done = await logs.read(call.at, { 'last-event-id': cursor })
    await until('nothing is left', () => done.isEnded, soonMs)
    assert.equal(done.raw, `event: log.caught_up\ndata: {"type":"log.caught_up","seq":${cursor}}\n\n`)
  }
})

test('a reader whose cursor is ahead of the log is disconnected when the call ends all the same', async () => {
  const call = await logs.open(1)
  using reader = await logs.read(`${call.at}?after=50`)
  await reader.came('log.caught_up')
  await logs.write(call, [ends])
  await reader.ended()
  assert.deepEqual(reader.types, ['log.caught_up'])
})

test('a quiet stream carries a comment every 30 seconds (ND-104)', async (t) => {
  const call = await logs.open()
  t.mock.timers.enable({ apis: ['setInterval'] })
  using reader = await logs.read(call.at)
  await reader.came('log.caught_up')
  const { length } = reader.raw
  const pings = () => reader.raw.slice(length)
  t.mock.timers.tick(29_999)
  await logs.write(call, [said('a')])
  await until('an entry came', () => reader.seqs.length === 1)
  assert.ok(!pings().includes(':ping'))
  t.mock.timers.tick(1)
  await until('the first', () => pings().endsWith('\n\n:ping\n\n'))
  t.mock.timers.tick(30_000)
  await until('the second', () => pings().endsWith('\n\n:ping\n\n:ping\n\n'))
})

const bigEntries = (from: number, to: number) => range(from, to).map((n) => said(`${n} ${'x'.repeat(8000)}`))

const word = (n: number) => ({ type: 'bot.word', data: { messageId: 'm', word: `${n}` } })

/** More than any buffer between holds; no faster than these read it. */
async function writeMuch(
  call: Parameters<TestLogs['write']>[0],
  from: number,
  to: number,
  ...readers: { seqs: number[] }[]
) {
  for (let n = from; n <= to; n += 100) {
    const last = Math.min(n + 99, to)
    await logs.write(call, bigEntries(n, last))
    for (const reader of readers) await until('it keeps up', () => reader.seqs.at(-1) === last)
  }
}

test('a reader that does not keep up slows no other reader: past its 1000 entries the oldest are dropped, and it receives exactly which (N-497, ND-105)', async () => {
  const call = await logs.open()
  using slow = await logs.read(call.at)
  using quick = await logs.read(call.at)
  await slow.came('log.caught_up')
  slow.pause()
  await writeMuch(call, 1, 3000, quick)
  assert.deepEqual(quick.seqs, range(1, 3000))
  for (const n of range(1, 100)) log.show(call, [word(n)]) // pushes nothing out
  slow.resume()
  await until('it is at the end', () => slow.seqs.at(-1) === 3000)
  const gaps = slow.events.filter(({ event }) => event === 'log.gap')
  assert.equal(gaps.length, 1)
  const { from, to } = gaps[0]?.data ?? {}
  assert.deepEqual(slow.seqs, [...range(1, from - 1), ...range(to + 1, 3000)])
  assert.equal(to, 2000)
  const at = slow.types.indexOf('log.gap')
  assert.deepEqual([slow.events[at - 1]?.id, slow.events[at + 1]?.id], [`${from - 1}`, `${to + 1}`])
  await logs.write(call, [ends])
  await slow.ended()
  assert.deepEqual(slow.types.at(-1), 'call.ended')
})

test('for a reader that does not keep up, what is live only makes room for what is kept (ND-105)', async () => {
  const call = await logs.open()
  using slow = await logs.read(call.at)
  await slow.came('log.caught_up')
  slow.pause()
  await writeMuch(call, 1, 900)
  for (const n of range(1, 5000)) log.show(call, [word(n)])
  await writeMuch(call, 901, 1000)
  slow.resume()
  await until('it is at the end', () => slow.seqs.at(-1) === 1000)
  assert.deepEqual(slow.seqs, range(1, 1000))
  assert.equal(slow.find('log.gap'), undefined)
})

test('a slow reader of the past misses nothing: it is read to from the table as it takes it (N-496)', async () => {
  const call = await logs.open()
  await writeMuch(call, 1, 2500)
  using slow = await logs.read(call.at)
  await until('it has begun', () => slow.seqs.length > 0)
  slow.pause()
  await writeMuch(call, 2501, 4000)
  slow.resume()
  await slow.came('log.caught_up')
  assert.deepEqual(slow.seqs, range(1, 4000))
})

test('a reader that takes nothing at all is disconnected', async (t) => {
  const call = await logs.open()
  t.mock.timers.enable({ apis: ['setInterval'] })
  using dead = await logs.read(call.at)
  await dead.came('log.caught_up')
  dead.pause()
  await writeMuch(call, 1, 1500)
  t.mock.timers.tick(30_000)
  t.mock.timers.tick(30_000)
  dead.resume()
  await until('it is cut off', () => dead.isClosed)
  assert.equal(dead.isEnded, false)
})

test('a stream ends within five seconds of the end of its key, and the others continue (ND-104)', async () => {
  const call = await logs.open()
  const key = await org.serverToken('sandbox')
  using revoked = await logs.read(call.at, { key: key.key })
  using stuck = await logs.read(call.at, { key: key.key })
  using other = await logs.read(call.at)
  using fleet = await logs.read(call.at, { key: fleetKey })
  for (const reader of [revoked, stuck, other, fleet]) await reader.came('log.caught_up')
  stuck.pause()
  await writeMuch(call, 1, 1500, revoked, other, fleet)
  await deployment.sql('update keys set revoked_at = now() where id = $1', [key.key_id])
  await until('it ends', () => revoked.isEnded, 5000)
  await logs.write(call, [said('after')])
  for (const reader of [other, fleet]) await until('the reader continues', () => reader.seqs.at(-1) === 1501)
  assert.equal(revoked.seqs.at(-1), 1500)
  stuck.resume()
  await until('it is cut off', () => stuck.isClosed)
  assert.equal(stuck.isEnded, false)
})

test('a stream ends when its reader no longer works on the agent', async () => {
  const person = await org.person('developer')
  const [desk, sales] = [await logs.open(0, 'desk'), await logs.open(0, 'sales')]
  using outside = await logs.read(desk.at, { key: person.key })
  using inside = await logs.read(sales.at, { key: person.key })
  await inside.came('log.caught_up')
  await deployment.sql(`update members set agents = '{sales}' where id = $1`, [person.id])
  await until('it ends', () => outside.isEnded, 5000)
  await logs.write(sales, [said('on')])
  await until('the other stream continues', () => inside.seqs.length === 1)
})

test('a gateway that stops ends its streams, and their readers continue at another (N-496)', async () => {
  const call = await logs.open(2)
  const other = await deployment.another()
  using reader = await logs.read(call.at, { at: other })
  using stuck = await logs.read(call.at, { at: other })
  await reader.came('log.caught_up')
  await stuck.came('log.caught_up')
  stuck.pause()
  await writeMuch(call, 3, 1500, reader)
  const begunMs = performance.now()
  await other[Symbol.asyncDispose]()
  assert.ok(performance.now() - begunMs < 9000, 'the stop waited for a reader that takes nothing')
  await reader.ended()
  using again = await logs.read(call.at, { 'last-event-id': '1500' })
  await logs.write(call, [said('more')])
  await until('the reader continues', () => again.seqs.includes(1501))
})

test('the package eventsource reads a log and continues by itself after the connection was lost (N-496, T-91)', async (t) => {
  const call = await logs.open(2)
  using line = await cuttableLine(deployment.url)
  const seqs: number[] = []
  const markers: string[] = []
  const source = new EventSource(`${line.url}${call.at}?after=0`, {
    fetch: (url, init) =>
      fetch(url, { ...init, headers: { ...init.headers, authorization: `Bearer ${logs.key}` } }),
  })
  t.after(() => source.close())
  source.addEventListener('user.message', ({ data }) => seqs.push(JSON.parse(data).seq))
  source.addEventListener('log.caught_up', ({ data }) => markers.push(data))
  await until('it caught up', () => markers.length === 1)
  line.cut()
  await logs.write(call, [said('3'), said('4')])
  await until('it came back', () => markers.length === 2)
  assert.deepEqual(seqs, [1, 2, 3, 4])
})

test('curl -N prints entries as they come, and stops when the call ends (N-493, T-95)', async (t) => {
  const call = await logs.open(1)
  const curl = spawn('curl', [
    '-sN',
    deployment.url + call.at,
    '-H',
    `authorization: Bearer ${logs.key}`,
    '-H',
    'accept: text/event-stream',
  ])
  t.after(() => curl.kill())
  let printed = ''
  curl.stdout.on('data', (piece: Buffer) => (printed += piece.toString()))
  const exit = once(curl, 'exit')
  await until('it caught up', () => printed.includes('log.caught_up'))
  await logs.write(call, [said('now')])
  await until('it prints it', () => printed.includes('id: 2\nevent: user.message\n'), soonMs)
  await logs.write(call, [ends])
  const [code] = await exit
  assert.equal(code, 0)
  assert.match(printed, /id: 3\nevent: call\.ended\ndata: \{"seq":3,.*\}\n\n$/)
})
