import assert from 'node:assert/strict'
import { chown, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { GatewayAway, GatewayRefusal, type GatewayClient } from '../gateway-client.ts'
import { UnsentRecordings } from './unsent-recordings.ts'

const root = await mkdtemp(join(tmpdir(), 'switchroom-unsent-'))
after(() => rm(root, { recursive: true, force: true }))
const { signal } = new AbortController()

type About = Parameters<GatewayClient['uploadRecording']>[2]

/** A gateway that gives the answers of the test. */
function worker(folder: string) {
  const stored: string[] = []
  const answers = { with: undefined as Error | undefined }
  const gateway = {
    uploadRecording: async (call: string, file: Readable, { contentType, peaks }: About) => {
      const sound = await text(file)
      if (answers.with) throw answers.with
      stored.push(`${call} ${sound} ${contentType} ${[...peaks].join()}`)
    },
  }
  const logger = { info: () => {}, warn: () => {} }
  return { unsent: new UnsentRecordings({ folder, gateway, logger }), stored, answers }
}
const sound = (words: string, format: 'wav' | 'opus' = 'wav') => ({
  format,
  peaks: Uint8Array.of(1, 2),
  open: () => Readable.from([Buffer.from(words)]),
})
const away = new GatewayAway('recordings cannot be stored at the moment: the disk of SVC_RECORDINGS is full')

test('a recording that the gateway cannot store is kept, and sent again until it is stored, also by the next worker', async () => {
  const folder = join(root, 'kept')
  const first = worker(folder)
  first.answers.with = away
  await first.unsent.send('call_1', sound('one'))
  await first.unsent.send('call_2', sound('two', 'opus'))
  await first.unsent.sendAll(signal)
  assert.deepEqual((await readdir(folder)).toSorted(), [
    'call_1.wav',
    'call_1.wav.peaks',
    'call_2.opus',
    'call_2.opus.peaks',
  ])
  assert.equal((await stat(join(folder, 'call_1.wav'))).mode & 0o077, 0)
  const next = worker(folder)
  await next.unsent.sendAll(signal)
  assert.deepEqual(next.stored, ['call_1 one audio/wav 1,2', 'call_2 two audio/ogg 1,2'])
  assert.deepEqual(await readdir(folder), [])
})

test('a recording that is stored at once is not kept, and one that is refused is reported and not kept', async () => {
  const folder = join(root, 'none')
  const { unsent, stored, answers } = worker(folder)
  await unsent.send('call_1', sound('one'))
  assert.deepEqual(stored, ['call_1 one audio/wav 1,2'])
  answers.with = new GatewayRefusal(409, 'what was said in call call_1 was erased')
  await assert.rejects(unsent.send('call_1', sound('one')), answers.with)
  await unsent.sendAll(signal)
  await assert.rejects(readdir(folder), { code: 'ENOENT' })
})

test('what was erased while its recording was kept is deleted here too, and what is no recording is left alone', async () => {
  const folder = join(root, 'erased')
  const { unsent, answers } = worker(folder)
  answers.with = away
  await unsent.send('call_1', sound('one'))
  await writeFile(join(folder, 'notes.txt'), 'mine')
  await writeFile(join(folder, 'call_2.wav.part'), 'half')
  answers.with = new GatewayRefusal(409, 'what was said in call call_1 was erased')
  await unsent.sendAll(signal)
  assert.deepEqual((await readdir(folder)).toSorted(), ['call_2.wav.part', 'notes.txt'])
})

test(
  "a folder of another user's is not used",
  { skip: process.getuid?.() !== 0 && 'needs root' },
  async () => {
    const folder = await mkdtemp(join(root, 'foreign-'))
    await writeFile(join(folder, 'call_1.wav'), 'planted')
    await chown(folder, 65_534, 65_534)
    const { unsent, stored, answers } = worker(folder)
    const message = `${folder} belongs to another user: set SVC_UNSENT_RECORDINGS to a folder of the worker's own`
    await assert.rejects(unsent.sendAll(signal), { message })
    answers.with = away
    await assert.rejects(unsent.send('call_2', sound('two')), { message })
    assert.deepEqual(stored, [])
  },
)
