import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { done } from '../../../testing/agents/test-agents.ts'
import { S3Server } from '../../../testing/blobs/s3-server.ts'
import { recordedWav } from '../../../testing/calls/recorded-wav.ts'
import { entriesOf, SpokenAgent, typesOf } from '../../../testing/calls/spoken-calls.ts'
import { refused, type Client } from '../../../testing/client.ts'
import { fleetKey, startDeployment } from '../../../testing/deployment.ts'
import { until } from '../../../testing/until.ts'
import { dayMs, minuteMs } from '../../foundation/clock.ts'

const storage = await S3Server.start()
after(() => storage[Symbol.asyncDispose]())
const folder = await mkdtemp(join(tmpdir(), 'switchroom-recordings-'))
after(() => rm(folder, { recursive: true, force: true }))
const deployment = await startDeployment({ ...storage.environment, SVC_LOG_DAYS: '30' })
after(() => deployment[Symbol.asyncDispose]())
const other = await deployment.another()
const { sql, clock } = deployment
const org = await deployment.newOrg()
const desk = await new SpokenAgent(deployment, org, 'desk').route()
await desk.holdingApp()
const { client, key } = await org.serverToken('sandbox', { scopes: ['calls', 'team', 'talk'] })

const fleetOf = (at: { anonymous: Client }) => at.anonymous.as(fleetKey)
const put = (call: string, body: Buffer, as: Client = desk.fleet) =>
  as.raw(`/v1/calls/${call}/recording`, {
    method: 'PUT',
    headers: { 'content-type': 'audio/wav' },
    body: new Uint8Array(body),
  })
const get = (call: string, headers: Record<string, string> = {}, as: Client = client) =>
  as.raw(`/v1/calls/${call}/recording`, { headers })
const recorded = async (more: object = {}) => {
  const call = await desk.open(more)
  done(await put(call, recordedWav(100)))
  return call
}
const objectsOf = async (call: string) =>
  (await storage.keys()).filter((object) => object.startsWith(`${org.id}/${call}`))
const waiting = async () => (await sql('select from blob_removals')).rowCount
const runTasks = async (at = deployment) => {
  const { recordingTasks, blobLedger } = at.gateway.services
  for (const task of [...recordingTasks, blobLedger.task]) await task.run(new AbortController().signal)
}
const erase = async (contact: string) => {
  const erased = await client.delete(`/v1/contacts/${encodeURIComponent(contact)}`)
  assert.equal(erased.status, 204, erased.text)
}

test('a recording that one gateway stores in the bucket is read through another, whole and in part', async () => {
  const call = await desk.open()
  const sound = recordedWav(400_000) // 12.8 MB, in three parts
  done(await put(call, sound, fleetOf(other)))
  assert.equal((await objectsOf(call)).length, 1)
  const whole = await get(call)
  assert.deepEqual([whole.status, whole.headers.get('content-type')], [200, 'audio/wav'])
  assert.ok(whole.bytes.equals(sound))
  const part = await get(call, { range: 'bytes=6000000-6000009' })
  assert.deepEqual(
    [part.status, part.headers.get('content-range')],
    [206, `bytes 6000000-6000009/${sound.length}`],
  )
  assert.deepEqual(part.bytes, sound.subarray(6_000_000, 6_000_010))
  assert.deepEqual(typesOf(await entriesOf(deployment, call)), ['call.started', 'recording.stored'])
  assert.equal(await waiting(), 0)
})

test('a key that may read a recording gets a link to it, and the link needs no key', async () => {
  const call = await recorded()
  const { url, expires_at: expiresAt } = done(await client.get(`/v1/calls/${call}/recording/link`))
  const bytes = Buffer.from(await (await fetch(url)).arrayBuffer())
  assert.deepEqual(bytes, recordedWav(100))
  assert.ok(Math.abs(expiresAt * 1000 - Date.now() - 300_000) < 60_000)
  const part = await fetch(url, { headers: { range: 'bytes=0-3' } })
  assert.deepEqual([part.status, await part.text()], [206, 'RIFF'])
  const talker = await org.serverToken('sandbox', { scopes: ['talk'] })
  refused(await talker.client.get(`/v1/calls/${call}/recording/link`), 403, /this key does not open calls/)
  const stranger = await (await deployment.newOrg()).serverToken('sandbox', { scopes: ['calls'] })
  refused(await stranger.client.get(`/v1/calls/${call}/recording/link`), 404, `there is no call ${call}`)
  const silent = await desk.open()
  refused(await client.get(`/v1/calls/${silent}/recording/link`), 404, `call ${silent} has no recording`)
})

test('of two recordings of a call that two gateways store concurrently one object is left, and the row names it', async () => {
  const call = await desk.open()
  await Promise.all([put(call, recordedWav(50, 1)), put(call, recordedWav(60, 2), fleetOf(other))])
  await until('the other one is removed', async () => (await objectsOf(call)).length === 1)
  const { bytes } = await get(call)
  assert.ok([recordedWav(50, 1), recordedWav(60, 2)].some((sound) => sound.equals(bytes)))
  await until('nothing is left to remove', async () => (await waiting()) === 0)
})

test('a refused recording leaves no object', async () => {
  const call = await desk.open({ from: '+15558881000' })
  refused(await put(call, Buffer.alloc(9000)), 400, 'a recording is a WAV file')
  await erase('+15558881000')
  refused(await put(call, recordedWav(10)), 409, `what was said in call ${call} was erased`)
  assert.deepEqual(await objectsOf(call), [])
  assert.equal(await waiting(), 0)
})

test('erasure and retention delete the objects, and what the storage does not delete then is deleted when it is back', async () => {
  const [erased, aged] = [await recorded({ from: '+15558881001' }), await recorded()]
  done(await desk.append(aged, [{ type: 'call.ended', data: { reason: 'hangup' } }]))
  await storage.stop()
  await erase('+15558881001')
  refused(await get(erased), 404, `call ${erased} has no recording`)
  clock.forward(31 * dayMs)
  done(await deployment.operator.post('/v1/ops/retention'))
  refused(await get(aged), 404, `call ${aged} has no recording`)
  await storage.run()
  assert.deepEqual([(await objectsOf(erased)).length, (await objectsOf(aged)).length], [1, 1])
  clock.forward(10 * minuteMs)
  await runTasks()
  assert.deepEqual([...(await objectsOf(erased)), ...(await objectsOf(aged))], [])
  assert.equal(await waiting(), 0)
})

test('a recording that cannot be stored is refused in a sentence, and taken when the storage is back', async () => {
  const call = await desk.open()
  await storage.stop()
  const at = new URL(storage.url).host
  const sentence = `recordings cannot be stored at the moment: the object storage at ${at} does not answer: ECONNREFUSED`
  const answer = await put(call, recordedWav(10))
  refused(answer, 503, sentence)
  assert.equal(answer.headers.get('retry-after'), '30')
  await storage.run()
  done(await put(call, recordedWav(10)))
  assert.equal((await get(call)).status, 200)
  await using wrong = await deployment.another({ SVC_S3_SECRET: 'wrong' })
  await until('the gateway says so at its start', () =>
    /recordings and documents cannot be stored now: the object storage at .* refuses its credentials: check SVC_S3_KEY/.test(
      wrong.log(),
    ),
  )
  const refusal = /refuses its credentials: check SVC_S3_KEY and SVC_S3_SECRET \(SignatureDoesNotMatch\)$/
  refused(await put(call, recordedWav(20), fleetOf(wrong)), 503, refusal)
  assert.doesNotMatch(wrong.log(), /S3RVER.*wrong|"wrong"/)
  assert.deepEqual((await get(call)).bytes, recordedWav(10), 'the earlier one stays')
})

test('what a gateway that died had uploaded is removed a day later', async () => {
  const call = await desk.open()
  const object = `${org.id}/${call}_dead.wav`
  const [blobs] = deployment.gateway.services.blobStores
  assert.ok(blobs)
  const { blobLedger: ledger } = deployment.gateway.services
  await ledger.beginUpload(blobs, object)
  await blobs.put(object, [Buffer.from('x')] as never, 'audio/wav')
  await runTasks()
  assert.deepEqual(await objectsOf(call), [object])
  clock.forward(dayMs + minuteMs)
  await runTasks()
  assert.deepEqual(await objectsOf(call), [])
})

test('recordings of a folder are moved to the bucket while both are set, by two gateways at once, and none is lost', async () => {
  await using before = await deployment.another({ SVC_S3_BUCKET: '', SVC_RECORDINGS: folder })
  const calls = await Promise.all(Array.from({ length: 5 }, () => desk.open({ from: '+15558881002' })))
  for (const [n, call] of calls.entries()) done(await put(call, recordedWav(10, n), fleetOf(before)))
  refused(
    await get(calls[0] ?? ''),
    503,
    `the recording of call ${calls[0]} is kept in a folder, and this gateway has none: the operator sets SVC_RECORDINGS`,
  )
  // as a gateway of an older version left one
  const [older = ''] = calls
  const { rows } = await sql('select blob from recordings where call = $1', [older])
  await rm(join(folder, rows[0].blob))
  await writeFile(join(folder, org.id, `${older}.wav`), recordedWav(10, 9))
  await sql('update recordings set blob = null where call = $1', [older])
  await sql('delete from blob_removals')

  await using one = await deployment.another({ SVC_RECORDINGS: folder })
  await using two = await deployment.another({ SVC_RECORDINGS: folder })
  await until('all are moved', async () => {
    await Promise.all([runTasks(one), runTasks(two)])
    const left = await sql(`select from recordings where place = 'folder'`)
    return left.rowCount === 0 && (await readdir(join(folder, org.id))).length === 0
  })
  for (const [n, call] of calls.entries()) {
    assert.deepEqual((await get(call)).bytes, recordedWav(10, n === 0 ? 9 : n))
    assert.equal((await objectsOf(call)).length, 1)
  }
  assert.match(one.log() + two.log(), /recordings were moved to the bucket/)
  await erase('+15558881002')
  for (const call of calls) assert.deepEqual(await objectsOf(call), [])
})

test('a gateway of an older version deletes and replaces what newer ones stored, and no object is left over', async () => {
  const [deleted, replaced] = [await recorded(), await recorded()]
  await sql('delete from recordings where call = $1', [deleted])
  await sql(`update recordings set bytes = 1, duration_ms = 1, stored_at = now() where call = $1`, [replaced])
  await runTasks()
  assert.deepEqual([...(await objectsOf(deleted)), ...(await objectsOf(replaced))], [])
  const { rows } = await sql('select place, blob from recordings where call = $1', [replaced])
  assert.deepEqual(rows, [{ place: 'folder', blob: null }])
  await mkdir(join(folder, org.id), { recursive: true })
  await writeFile(join(folder, org.id, `${replaced}.wav`), 'R')
  await using upgraded = await deployment.another({ SVC_RECORDINGS: folder })
  assert.equal((await get(replaced, {}, upgraded.anonymous.as(key))).bytes.toString(), 'R')
})
