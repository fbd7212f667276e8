import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import test from 'node:test'
import { promisify } from 'node:util'
import { until } from '@switchroom/gateway/testing/until'
import {
  aiff,
  flacBomb,
  mp4Bomb,
  recording,
  silentAmr,
  spokenPcm,
  spokenSeconds,
  wavSaying,
} from '../../testing/recordings.ts'
import { DecodingFailure } from './decoding-failure.ts'
import { decoded } from './decoding.ts'
import { formatOf } from './media-formats.ts'

const never = new AbortController().signal

const decodedFile = (file: Buffer) => {
  const form = formatOf(file)
  assert.ok(form)
  return decoded(file, form, never)
}

const unreadable = (error: unknown) =>
  error instanceof DecodingFailure &&
  error.kind === 'unreadable' &&
  error.message === 'its audio cannot be decoded'

for (const name of [
  'fox.wav',
  'fox.mp3',
  'fox.m4a',
  'fox-faststart.m4a',
  'fox.webm',
  'fox.ogg',
  'fox-vorbis.ogg',
  'fox.flac',
  'fox.aac',
])
  test(`${name} is decoded to samples as long as what was said`, async () => {
    const { wav, seconds } = await decodedFile(recording(name))
    assert.ok(Math.abs(seconds - spokenSeconds) < 0.02, `${seconds} s`)
    assert.equal(wav.length, 44 + Math.round(seconds * 32_000))
    assert.ok(loudness(wav.subarray(44)) > 0.5 * loudness(spokenPcm()))
  })

test('AIFF and AMR are decoded, whatever their rate', async () => {
  const fast = aiff(spokenPcm(), 44_100)
  assert.ok(Math.abs((await decodedFile(fast)).seconds - (spokenSeconds * 16_000) / 44_100) < 0.01)
  assert.equal((await decodedFile(silentAmr())).seconds, 2)
})

test('several channels become one, and 24 bits 16', async () => {
  const pcm = spokenPcm()
  const wide = Buffer.alloc(6 * (pcm.length / 2))
  for (let at = 0; at < pcm.length / 2; at += 1) {
    wide.writeIntLE(pcm.readInt16LE(2 * at) * 256, 6 * at, 3)
    wide.writeIntLE(pcm.readInt16LE(2 * at) * 256, 6 * at + 3, 3)
  }
  const { wav } = await decodedFile(Buffer.concat([wavSaying({ channels: 2, bits: 24 }), wide]))
  assert.equal(wav.length, 44 + pcm.length)
  for (let at = 0; at < pcm.length; at += 200)
    assert.ok(Math.abs(wav.readInt16LE(44 + at) - pcm.readInt16LE(at)) <= 2)
})

test('a file that is not what it seems is refused', async () => {
  const cut = recording('fox.m4a').subarray(0, 900)
  for (const file of [cut, wavSaying({ frameBytes: 0 })]) await assert.rejects(decodedFile(file), unreadable)
  const { seconds } = await decodedFile(Buffer.concat([Buffer.from('OggS'), Buffer.alloc(5_000, 7)]))
  assert.equal(seconds, 0)
})

test('a few bytes that promise a world of memory are refused, and other decodings are not affected', async () => {
  const files = [
    mp4Bomb(),
    Buffer.concat([wavSaying({ channels: 65_535, frameBytes: 1, bits: 8 }), Buffer.alloc(1_000_000)]),
  ]
  const before = process.memoryUsage.rss()
  for (const file of files) await assert.rejects(decodedFile(file), unreadable)
  assert.ok(process.memoryUsage.rss() - before < 100 * 1024 * 1024)
})

test('a small file of many hours is refused as soon as it is too long', async () => {
  await assert.rejects(
    decoded(flacBomb(100_000), 'flac', never, 2),
    (error: DecodingFailure) =>
      error.kind === 'tooLong' && error.message === 'its audio is longer than 2 minutes',
  )
})

test('a decoder whose host is gone goes, too', async () => {
  const host = spawn(process.execPath, [
    '--input-type=module',
    '-e',
    `import { decoded } from ${JSON.stringify(new URL('decoding.ts', import.meta.url).href)}
    import { flacBomb } from ${JSON.stringify(new URL('../../testing/recordings.ts', import.meta.url).href)}
    await decoded(flacBomb(20_000_000), 'flac', new AbortController().signal)`,
  ])
  const decoders = async () => {
    const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,cputimes=,args='])
    return stdout
      .split('\n')
      .filter((line) => line.includes('decoding-program') && !line.includes('<defunct>'))
  }
  const [found = ''] = await until(
    'it is at work, and no longer reading',
    async () => {
      const ours = (await decoders()).filter((line) => {
        const [, parent, cpuSeconds] = line.trim().split(/\s+/)
        return Number(parent) === host.pid && Number(cpuSeconds) >= 2
      })
      return ours.length > 0 && ours
    },
    60_000,
  )
  const pid = found.trim().split(/\s+/)[0]
  host.kill('SIGKILL')
  await until('it is gone', async () => !(await decoders()).some((line) => line.trim().startsWith(`${pid} `)))
})

test('if no process can be started a file is refused, and the server continues', async () => {
  const program = `
    import { closeSync, openSync } from 'node:fs'
    import { decoded } from ${JSON.stringify(new URL('decoding.ts', import.meta.url).href)}
    const never = new AbortController().signal
    const taken = []
    try { for (;;) taken.push(openSync('/dev/null')) } catch {}
    const { kind, message } = await decoded(Buffer.alloc(10), 'mp3', never).catch((error) => error)
    taken.forEach(closeSync)
    await new Promise(setImmediate)
    console.log(kind, message)`
  const host = spawn('sh', [
    '-c',
    'ulimit -n 256 && exec "$0" "$@"',
    process.execPath,
    '--input-type=module',
    '-e',
    program,
  ])
  let said = ''
  for (const stream of [host.stdout, host.stderr]) stream.on('data', (chunk) => (said += String(chunk)))
  const [status] = await once(host, 'close')
  assert.equal(said, 'noRoom no file can be decoded just now: try again in a moment\n')
  assert.equal(status, 0)
})

test('a caller that cancels while its file is decoded ends the decoder', async () => {
  const left = new AbortController()
  const decoding = decoded(flacBomb(5_000_000), 'flac', left.signal)
  left.abort(new Error('gone'))
  await assert.rejects(decoding, { message: 'gone' })
})

function loudness(pcm: Buffer): number {
  let sum = 0
  for (let at = 0; at + 1 < pcm.length; at += 2) sum += pcm.readInt16LE(at) ** 2
  return Math.sqrt(sum / (pcm.length / 2))
}
