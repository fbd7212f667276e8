import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { OggOpusWriter } from '@switchroom/audio/ogg-opus'
import { done } from '../../../testing/agents/test-agents.ts'
import { recordedWav } from '../../../testing/calls/recorded-wav.ts'
import { SpokenAgent } from '../../../testing/calls/spoken-calls.ts'
import { refused } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { peaksIn } from './recording-formats.ts'

const folder = await mkdtemp(join(tmpdir(), 'switchroom-recordings-'))
after(() => rm(folder, { recursive: true, force: true }))
const deployment = await startDeployment({ SVC_RECORDINGS: folder })
after(() => deployment[Symbol.asyncDispose]())
const org = await deployment.newOrg()
const desk = await new SpokenAgent(deployment, org, 'desk').route()
await desk.holdingApp()
const { client } = await org.serverToken('sandbox', { scopes: ['calls'] })

const put = (call: string, body: Buffer, headers: Record<string, string>) =>
  desk.fleet.raw(`/v1/calls/${call}/recording`, { method: 'PUT', headers, body: new Uint8Array(body) })
const waveformOf = (call: string, as = client) => as.get(`/v1/calls/${call}/recording/waveform`)
const base64 = (...peaks: number[]) => Buffer.from(peaks).toString('base64')

const writer = new OggOpusWriter(8000, 1)
const opus = Buffer.concat([writer.head(), writer.encode(new Int16Array(2 * 8000)), writer.end()])

test('a recording in Opus is stored, read as what it is, and replaced by one in WAV', async () => {
  const call = await desk.open()
  const stored = done(await put(call, opus, { 'content-type': 'audio/ogg', 'svc-peaks': base64(1, 2, 3, 4) }))
  assert.deepEqual(stored, { call, bytes: opus.length, duration_ms: 1000 })
  const read = await client.raw(`/v1/calls/${call}/recording`)
  assert.deepEqual([read.headers.get('content-type'), read.bytes], ['audio/ogg', opus])
  const [file = ''] = await readdir(join(folder, org.id))
  assert.match(file, new RegExp(`^${call}_\\w+\\.opus$`))
  assert.deepEqual(done(await waveformOf(call)), { duration_ms: 1000, caller: [1, 3], agent: [2, 4] })
  done(await put(call, recordedWav(20), { 'content-type': 'audio/wav' }))
  assert.equal((await client.raw(`/v1/calls/${call}/recording`)).headers.get('content-type'), 'audio/wav')
  assert.deepEqual(done(await waveformOf(call)), { duration_ms: 20, caller: null, agent: null })
})

test('what is sent as Ogg and is not Opus, or breaks off within a page, is not stored', async () => {
  const call = await desk.open()
  for (const wrong of [recordedWav(50), opus.subarray(0, -3), Buffer.alloc(0)]) {
    const answer = await put(call, wrong, { 'content-type': 'audio/ogg' })
    refused(answer, 400, 'a recording sent as audio/ogg is Ogg Opus')
  }
  refused(await put(call, opus, { 'content-type': 'audio/wav' }), 400, 'a recording is a WAV file')
})

test('a waveform is read by every key that may read the recording', async () => {
  const call = await desk.open()
  refused(await waveformOf(call), 404, `call ${call} has no recording`)
  done(await put(call, recordedWav(20), { 'content-type': 'audio/wav', 'svc-peaks': base64(7, 8) }))
  assert.deepEqual(done(await waveformOf(call)), { duration_ms: 20, caller: [7], agent: [8] })
  const stranger = await (await deployment.newOrg()).serverToken('sandbox', { scopes: ['calls'] })
  refused(await waveformOf(call, stranger.client), 404, `there is no call ${call}`)
  const talker = await org.serverToken('sandbox', { scopes: ['talk'] })
  refused(await waveformOf(call, talker.client), 403, /this key does not open calls/)
})

test('peaks that no worker sends are ignored, so that the recording is not lost for them', () => {
  assert.deepEqual(peaksIn(base64(1, 2)), Buffer.of(1, 2))
  const wrong = [undefined, '', 'ü', base64(1), base64(...Array<number>(1602).fill(0)), ['AAAA', 'AAAA']]
  for (const header of wrong) assert.equal(peaksIn(header), null)
})
