import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { refused, type Client } from '../../../testing/client.ts'
import { fleetKey, noLimit, startDeployment } from '../../../testing/deployment.ts'
import { entriesOf, SpokenAgent, typesOf, whileHeld } from '../../../testing/calls/spoken-calls.ts'
import { recordedWav as wav } from '../../../testing/calls/recorded-wav.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { until } from '../../../testing/until.ts'
import { dayMs } from '../../foundation/clock.ts'

const folder = await mkdtemp(join(tmpdir(), 'switchroom-recordings-'))
after(() => rm(folder, { recursive: true }))
const deployment = await startDeployment({ SVC_RECORDINGS: folder, SVC_LOG_DAYS: '30' })
after(() => deployment[Symbol.asyncDispose]())
const { sql, clock } = deployment
const org = await deployment.newOrg()
const desk = await new SpokenAgent(deployment, org, 'desk').route()
const app = await desk.holdingApp()
const { client } = await org.serverToken('sandbox', { scopes: ['calls', 'team', 'talk'] })

const put = (call: string, body: Buffer, as: Client = desk.fleet) =>
  as.raw(`/v1/calls/${call}/recording`, {
    method: 'PUT',
    headers: { 'content-type': 'audio/wav' },
    body: new Uint8Array(body),
  })
/** A worker that sends so much, piece by piece. */
function sendTo(path: string, bytes: number) {
  const { port, hostname } = new URL(deployment.url)
  const socket = connect(Number(port), hostname)
  const answer = text(socket).catch(() => '')
  socket.write(`PUT ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${fleetKey}\r\n`)
  socket.write(`content-type: audio/wav\r\ncontent-length: ${bytes}\r\n\r\n`)
  return { socket, answer }
}
const get = (call: string, headers: Record<string, string> = {}, as: Client = client) =>
  as.raw(`/v1/calls/${call}/recording`, { headers })
const filesOf = async (call: string, of = org) =>
  (await readdir(join(folder, of.id)).catch(() => [])).filter((name) => name.startsWith(call))
const soundOf = async (call: string) => {
  const files = await filesOf(call)
  assert.equal(files.length, 1, files.join())
  return readFile(join(folder, org.id, files[0] ?? ''))
}
const isKept = async (call: string) => (await filesOf(call)).length > 0
const end = (call: string) => desk.append(call, [{ type: 'call.ended', data: { reason: 'hangup' } }])
const recorded = async (more: object = {}) => {
  const call = await desk.open(more)
  done(await put(call, wav(100)))
  return call
}

test('what a worker recorded is stored as a file of the org, and reported in the log but not to the app', async () => {
  const call = await desk.open()
  assert.deepEqual(done(await put(call, wav(1500))), { call, bytes: 48_044, duration_ms: 1500 })
  assert.deepEqual(await soundOf(call), wav(1500))
  const entries = await entriesOf(deployment, call)
  assert.deepEqual(typesOf(entries), ['call.started', 'recording.stored'])
  assert.deepEqual(entries[1]?.data, { bytes: 48_044, durationMs: 1500 })
  done(await end(call))
  await until('the app receives the end', () =>
    app.frames.find((frame) => frame.type === 'call.ended' && frame.call === call),
  )
  assert.ok(app.frames.every(({ type }) => type !== 'recording.stored'))
})

test('a recording that comes after the end of the call, as when an app hung up, is stored without an entry in the log', async () => {
  const call = await desk.open()
  done(await end(call))
  done(await put(call, wav(20)))
  assert.equal((await get(call)).status, 200)
  assert.deepEqual(typesOf(await entriesOf(deployment, call)), ['call.started', 'call.ended'])
})

test('a recording is read whole or in part', async () => {
  const call = await recorded()
  const whole = await get(call)
  assert.deepEqual([whole.status, whole.headers.get('content-type')], [200, 'audio/wav'])
  assert.deepEqual([whole.headers.get('accept-ranges'), whole.bytes], ['bytes', wav(100)])
  const part = await get(call, { range: 'bytes=40-49' })
  assert.deepEqual([part.status, part.headers.get('content-range')], [206, 'bytes 40-49/3244'])
  assert.deepEqual(part.bytes, wav(100).subarray(40, 50))
  const outside = await get(call, { range: 'bytes=3244-' })
  refused(outside, 416, 'the recording has 3244 bytes, and the range begins behind them')
  assert.equal(outside.headers.get('content-range'), 'bytes */3244')
  const head = await client.raw(`/v1/calls/${call}/recording`, { method: 'HEAD' })
  assert.deepEqual([head.status, head.headers.get('content-length')], [200, '3244'])
})

test('a caller that may not read the call, or names one without a recording, gets none', async () => {
  const call = await recorded()
  const talker = await org.serverToken('sandbox', { scopes: ['talk'] })
  refused(await get(call, {}, talker.client), 403, 'this key does not open calls: it opens talk')
  const narrowed = await org.person('manager', { agents: ['sales'] })
  refused(await get(call, {}, narrowed.client), 403, 'this key works on sales alone')
  const stranger = await (await deployment.newOrg()).serverToken('sandbox', { scopes: ['calls'] })
  refused(await get(call, {}, stranger.client), 404, `there is no call ${call}`)
  const production = await org.serverToken('production', { scopes: ['calls'] })
  refused(await get(call, {}, production.client), 404, `there is no call ${call}`)
  const silent = await desk.open()
  refused(await get(silent), 404, `call ${silent} has no recording`)
})

test('what is no WAV file, is too long, or is of no call that a worker runs is not stored', async () => {
  const call = await desk.open()
  refused(await put(call, Buffer.from('hello')), 400, 'a recording is a WAV file')
  refused(await put(call, wav(10).subarray(0, 40)), 400, 'a recording is a WAV file')
  refused(
    await desk.fleet.raw(`/v1/calls/${call}/recording`, { method: 'PUT' }),
    400,
    'a recording is a WAV file',
  )
  const stranger = await (await deployment.newOrg()).serverToken('sandbox')
  refused(await put(call, wav(10), stranger.client), 404, `there is no call ${call}`)
  const person = await org.person('admin')
  refused(await put(call, wav(10), person.client), 403, /this door takes a worker's key/)
  const chat = done(await client.post('/v1/calls', { agent: 'desk', channel: 'chat' })).call
  refused(await put(chat, wav(10)), 409, `call ${chat} is a written one, and no worker runs those`)
  assert.ok(!(await isKept(call)))
  assert.deepEqual(typesOf(await entriesOf(deployment, call)), ['call.started'])
})

test('a recording of more than 200 MB is refused, and nothing of it stays', async () => {
  const call = await desk.open()
  const { socket, answer } = sendTo(`/v1/calls/${call}/recording`, 201 * 1024 * 1024)
  socket.write(wav(0))
  const megabyte = Buffer.alloc(1024 * 1024)
  for (let i = 0; i < 200 && socket.writable; i += 1)
    if (!socket.write(megabyte)) await Promise.race([once(socket, 'drain').catch(() => {}), answer])
  assert.match(await answer, /^HTTP\/1.1 413 .*"a recording has 200 MB at most"/s)
  assert.deepEqual(await filesOf(call), [])
})

test('an upload that breaks off leaves nothing behind', async () => {
  const call = await desk.open()
  const { socket } = sendTo(`/v1/calls/${call}/recording`, 1000)
  socket.write(wav(10))
  await until('it has begun', async () => (await filesOf(call)).length === 1)
  socket.destroy()
  await until('it is gone', async () => (await filesOf(call)).length === 0)
  assert.deepEqual(typesOf(await entriesOf(deployment, call)), ['call.started'])
})

test('of two recordings stored concurrently the later one is kept, whole', async () => {
  const call = await desk.open()
  await Promise.all([put(call, wav(50, 1)), put(call, wav(60, 2)), put(call, wav(70, 3))])
  const { rows } = await sql('select bytes::int from recordings where call = $1', [call])
  await until('the others are removed', async () => (await filesOf(call)).length === 1)
  const stored = await soundOf(call)
  assert.equal(stored.length, rows[0].bytes)
  assert.ok([wav(50, 1), wav(60, 2), wav(70, 3)].some((sound) => sound.equals(stored)))
  assert.deepEqual((await get(call)).bytes, stored)
})

test('erasing a contact deletes what was recorded of them, and what comes later is not kept', async () => {
  const from = '+15558880001'
  const call = await recorded({ from })
  const running = await desk.open({ from })
  const others = await recorded()
  const erased = await client.delete(`/v1/contacts/${encodeURIComponent(from)}`)
  assert.equal(erased.status, 204, erased.text)
  assert.ok(!(await isKept(call)) && (await isKept(others)))
  refused(await get(call), 404, `call ${call} has no recording`)
  for (const each of [call, running])
    refused(await put(each, wav(10)), 409, `what was said in call ${each} was erased`)
  assert.ok(!(await isKept(call)) && !(await isKept(running)))
})

test('a recording that meets the erasure of its contact concurrently does not outlive it', async () => {
  const from = '+15558880002'
  const call = await desk.open({ from })
  let both: Promise<unknown> | undefined
  await whileHeld(deployment, 'select from logs where id = $1 for update', call, 2, async (held) => {
    both = Promise.all([put(call, wav(30)), client.delete(`/v1/contacts/${encodeURIComponent(from)}`)])
    await held.areWaiting()
  })
  await both
  await until('nothing is kept', async () => !(await isKept(call)))
  assert.equal((await sql('select from recordings where call = $1', [call])).rowCount, 0)
})

test('a recording is kept as long as the log of its call', async () => {
  const call = await recorded()
  done(await end(call))
  const running = await recorded()
  const forget = () => deployment.operator.post('/v1/ops/retention')
  clock.forward(29 * dayMs)
  done(await forget())
  assert.equal((await get(call)).status, 200)
  clock.forward(2 * dayMs)
  done(await forget())
  refused(await get(call), 404, `call ${call} has no recording`)
  assert.ok(!(await isKept(call)) && (await isKept(running)))
  refused(await put(call, wav(10)), 409, `what was said in call ${call} was erased`)
})

test('an org keeps as much sound as its cap says and no more, also of two gateways concurrently', async () => {
  const own = await deployment.newOrg()
  const phone = await new SpokenAgent(deployment, own, 'desk').route()
  await phone.holdingApp()
  await using other = await deployment.another()
  const gb = 1024 ** 3
  const sentence =
    "the org's recordings have reached their cap: delete some by erasing contacts, or ask the operator for more"
  const keptBytes = async () =>
    Number((await sql('select bytes from recorded_bytes where org = $1', [own.id])).rows[0].bytes)
  const calls = [await phone.open(), await phone.open(), await phone.open({ from: '+15558880077' })] as const
  done(await put(calls[0], wav(100)))
  assert.equal(await keptBytes(), 3244)
  done(await deployment.operator.put(`/v1/ops/orgs/${own.slug}/quotas`, { ...noLimit, recordings_gb: 1 }))

  // room for one more of its length, and not for two
  await sql('update recorded_bytes set bytes = $2 where org = $1', [own.id, gb - 5000])
  const fleet = (at: { anonymous: Client }) => at.anonymous.as(fleetKey)
  const both = await Promise.all([
    put(calls[1], wav(100), fleet(deployment)),
    put(calls[2], wav(100), fleet(other)),
  ])
  assert.deepEqual(both.map(({ status }) => String(status)).toSorted(), ['200', '429'])
  for (const answer of both) if (answer.status === 429) refused(answer, 429, sentence)
  assert.equal(await keptBytes(), gb - 5000 + 3244)
  const stored = both[0]?.status === 200 ? calls[1] : calls[2]
  const kept = await Promise.all(calls.map(async (call) => (await filesOf(call, own)).length))
  const wanted = [1, stored === calls[1] ? 1 : 0, stored === calls[2] ? 1 : 0]
  assert.deepEqual(kept, wanted, 'nothing is left of the other')

  // the whole of it is not read first
  const { socket, answer } = sendTo(
    `/v1/calls/${stored === calls[1] ? calls[2] : calls[1]}/recording`,
    100_000_000,
  )
  socket.write(wav(1000))
  assert.match(await answer, /^HTTP\/1.1 429 /)
  done(await put(stored, wav(50)))
  assert.equal(await keptBytes(), gb - 5000 + 1644)
  await sql('update recorded_bytes set bytes = 3244 + 1644 where org = $1', [own.id])
  done(await put(stored === calls[1] ? calls[2] : calls[1], wav(100)))
  const { client: eraser } = await own.serverToken('sandbox', { scopes: ['calls', 'team', 'talk'] })
  assert.equal((await eraser.delete(`/v1/contacts/${encodeURIComponent('+15558880077')}`)).status, 204)
  const left = stored === calls[2] ? 3244 + 3244 : 3244 + 1644
  assert.equal(await keptBytes(), left)
})

test('if no folder is set, recordings are refused in a sentence', async () => {
  const call = await recorded()
  await using bare = await deployment.another({ SVC_RECORDINGS: '' })
  const sentence =
    'recordings are not kept on this deployment: the operator sets SVC_RECORDINGS or SVC_S3_BUCKET'
  refused(await put(call, wav(10), bare.anonymous.as(fleetKey)), 503, sentence)
  const { key } = await org.serverToken('sandbox', { scopes: ['calls'] })
  refused(await get(call, {}, bare.anonymous.as(key)), 503, sentence)
})
