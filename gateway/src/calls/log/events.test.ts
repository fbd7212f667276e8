import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { ends, range, said, TestLogs } from '../../../testing/calls/test-logs.ts'
import { until } from '../../../testing/until.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const logs = await TestLogs.of(deployment)
const { client } = logs
const { log } = deployment.gateway.services

test('a log is read as JSON in ascending pages that continue from `next` (N-493, N-495, N-496, ND-104)', async () => {
  const call = await logs.open(5)
  const first = await client.get(`${call.at}?limit=2`)
  assert.deepEqual(Object.keys(first.body), ['entries', 'next', 'gap', 'ended'])
  assert.equal(first.headers.get('content-type'), 'application/json; charset=utf-8')
  const pages = [first.body]
  while (pages.at(-1).entries.length > 0)
    pages.push((await client.get(`${call.at}?limit=2&after=${pages.at(-1).next}`)).body)
  assert.deepEqual(
    pages.map(({ entries, next, gap, ended }) => [
      entries.map(({ seq }: { seq: number }) => seq),
      next,
      gap,
      ended,
    ]),
    [
      [[1, 2], 2, null, false],
      [[3, 4], 4, null, false],
      [[5], 5, null, false],
      [[], 5, null, false],
    ],
  )
})

test('every entry on the wire has the seven stamped fields, byte for byte as it is kept (N-494)', async () => {
  const call = await logs.open()
  const [kept] = await logs.write(call, [said('é "quoted"\n')])
  const { text, body } = await client.get(call.at)
  assert.ok(text.includes(`[${kept?.entry}]`), text)
  const [entry] = body.entries
  assert.deepEqual(
    Object.entries(entry).map(([name, value]) => [name, typeof value]),
    [
      ['seq', 'number'],
      ['ts', 'number'],
      ['call', 'string'],
      ['agent', 'string'],
      ['type', 'string'],
      ['ephemeral', 'boolean'],
      ['data', 'object'],
    ],
  )
  using reader = await logs.read(call.at)
  await reader.came('log.caught_up')
  assert.ok(reader.raw.startsWith(`id: 1\nevent: user.message\ndata: ${kept?.entry}\n\n`), reader.raw)
})

test('a page holds 500 entries by default, and 1 to 1000 as asked (ND-104)', async () => {
  const call = await logs.open(1001)
  const count = async (query: string) => (await client.get(call.at + query)).body.entries.length
  assert.deepEqual([await count(''), await count('?limit=1000'), await count('?limit=1')], [500, 1000, 1])
  for (const limit of ['0', '1001', '-1', 'ten', '1.5', ''])
    refused(
      await client.get(`${call.at}?limit=${limit}`),
      422,
      'limit: must be a whole number from 1 to 1000',
    )
})

test('an `after` that is no cursor is refused, on a page and on a stream (ND-104)', async () => {
  const call = await logs.open(1)
  const sentence = 'after: must be a whole number from 0 to 2147483647'
  for (const cursor of ['-1', 'x', '1.5', '2147483648', '99999999999', ''])
    for (const accept of ['application/json', 'text/event-stream'])
      refused(await client.with({ accept }).get(`${call.at}?after=${cursor}`), 422, sentence)
  refused(
    await client.with({ accept: 'text/event-stream', 'last-event-id': 'seven' }).get(call.at),
    422,
    'last-event-id: must be a whole number from 0 to 2147483647',
  )
  assert.deepEqual((await client.get(`${call.at}?after=2147483647`)).body, {
    entries: [],
    next: 2147483647,
    gap: null,
    ended: false,
  })
})

test('erased entries are reported as the gap of the page, and pages past it report none (ND-104, ND-105)', async () => {
  const call = await logs.open(9)
  const pageOf = async (query: string) => {
    const { entries, ...rest } = (await client.get(call.at + query)).body
    return { seqs: entries.map(({ seq }: { seq: number }) => seq), ...rest }
  }
  await logs.erase(call, [1, 2, 5])
  const ended = false
  assert.deepEqual(await pageOf(''), {
    seqs: [3, 4, 6, 7, 8, 9],
    next: 9,
    gap: { from: 1, to: 5 },
    ended,
  })
  assert.deepEqual(await pageOf('?after=2'), {
    seqs: [3, 4, 6, 7, 8, 9],
    next: 9,
    gap: { from: 5, to: 5 },
    ended,
  })
  assert.deepEqual(await pageOf('?after=5'), { seqs: [6, 7, 8, 9], next: 9, gap: null, ended })
  await logs.write(call, [ends])
  await logs.erase(call, range(3, 10))
  assert.deepEqual(await pageOf('?after=4'), {
    seqs: [],
    next: 10,
    gap: { from: 5, to: 10 },
    ended: true,
  })
})

test('a page says that nothing more comes once it reaches the end of a call that ended (ND-104)', async () => {
  const call = await logs.open(2)
  await logs.write(call, [ends])
  const endedAt = async (query: string) => (await client.get(call.at + query)).body.ended
  assert.deepEqual(
    [await endedAt('?limit=2'), await endedAt(''), await endedAt('?after=3')],
    [false, true, true],
  )
})

test('`Accept` with text/event-stream in it gives a stream, anything else a page (N-493, ND-104)', async () => {
  const call = await logs.open(1)
  for (const accept of ['text/event-stream', 'text/html, TEXT/event-stream;q=0.9', 'text/event-stream,*/*']) {
    const { status, headers } = await client.with({ accept }).get(call.at)
    assert.deepEqual([status, headers.get('content-type')], [200, 'text/event-stream'], accept)
  }
  for (const accept of ['*/*', 'application/json', 'text/*'])
    assert.equal((await client.with({ accept }).get(call.at)).body.next, 1, accept)
  const head = await client.with({ accept: 'text/event-stream' }).send('HEAD', call.at)
  assert.equal(head.status, 200)
})

test('a stream replays, says once that it caught up, and shows what comes; markers carry no id (N-497, ND-104, ND-105, T-94)', async () => {
  const call = await logs.open(3)
  using reader = await logs.read(`${call.at}?after=1`)
  await reader.came('log.caught_up')
  await logs.write(call, [said('4'), said('5')])
  await logs.write(call, [said('6')])
  await until('all came', () => reader.seqs.length === 5)
  assert.deepEqual(
    reader.events.map(({ id, event }) => [id, event]),
    [
      ['2', 'user.message'],
      ['3', 'user.message'],
      [undefined, 'log.caught_up'],
      ['4', 'user.message'],
      ['5', 'user.message'],
      ['6', 'user.message'],
    ],
  )
  assert.deepEqual(reader.find('log.caught_up')?.data, { type: 'log.caught_up', seq: 3 })
  assert.ok(reader.raw.includes('\n\nevent: log.caught_up\ndata: {"type":"log.caught_up","seq":3}\n\n'))
})

test('a reader that is up to date receives `log.caught_up` with the cursor it gave (ND-105)', async () => {
  const call = await logs.open(2)
  for (const [cursor, next] of [
    [0, 2],
    [2, 2],
    [7, 7],
  ]) {
    using reader = await logs.read(`${call.at}?after=${cursor}`)
    assert.equal((await reader.came('log.caught_up')).data.seq, next)
  }
})

test('`Last-Event-ID` wins over `after`, for a browser repeats its old address (ND-104, T-91)', async () => {
  const call = await logs.open(9)
  using reader = await logs.read(`${call.at}?after=0`, { 'last-event-id': '7' })
  await reader.came('log.caught_up')
  assert.deepEqual(reader.seqs, [8, 9])
  using empty = await logs.read(`${call.at}?after=5`, { 'last-event-id': '' })
  await empty.came('log.caught_up')
  assert.deepEqual(empty.seqs, [6, 7, 8, 9])
})

test('what is live only is shown with no id, never kept, and is no gap (ND-103, ND-105, ND-106, T-93)', async () => {
  const call = await logs.open(1)
  using reader = await logs.read(call.at)
  await reader.came('log.caught_up')
  log.show(call, [{ type: 'speech.started', data: {} }])
  log.show(call, [{ type: 'user.speaking', data: { text: 'tw' } }])
  await logs.write(call, [said('two')])
  await until('both came', () => reader.seqs.length === 2)
  const speaking = reader.find('user.speaking')
  assert.deepEqual([speaking?.id, speaking?.data.seq, speaking?.data.ephemeral], [undefined, 1, true])
  assert.deepEqual(reader.types, [
    'user.message',
    'log.caught_up',
    'speech.started',
    'user.speaking',
    'user.message',
  ])
  using again = await logs.read(call.at)
  await again.came('log.caught_up')
  assert.deepEqual(again.types, ['user.message', 'user.message', 'log.caught_up'])
  const { entries, gap } = (await client.get(call.at)).body
  assert.deepEqual([entries.length, gap], [2, null])
})

test('erased entries are reported before the next entry that exists, gap by gap and at the end (N-497, ND-105)', async () => {
  const call = await logs.open(9)
  await logs.erase(call, [1, 2, 5, 8, 9])
  using reader = await logs.read(call.at)
  await reader.came('log.caught_up')
  assert.deepEqual(
    reader.events.map(({ id, data }) => id ?? data),
    [
      { type: 'log.gap', from: 1, to: 2 },
      '3',
      '4',
      { type: 'log.gap', from: 5, to: 5 },
      '6',
      '7',
      { type: 'log.gap', from: 8, to: 9 },
      { type: 'log.caught_up', seq: 9 },
    ],
  )
  await logs.write(call, [said('ten')])
  await until('the reader continues', () => reader.seqs.includes(10))
  assert.equal(reader.types.filter((type) => type === 'log.gap').length, 3)
})

test('a log longer than a page of the table is replayed whole (N-496)', async () => {
  const call = await logs.open(1234)
  using reader = await logs.read(call.at)
  await reader.came('log.caught_up')
  assert.deepEqual(reader.seqs, range(1, 1234))
})
