import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { Recording } from './recording.ts'

const left = () => readdirSync(tmpdir()).filter((name) => /^switchroom-.*\.recording$/.test(name))

test('what both said is handed over as a stereo WAV file, and nothing of it stays behind', async () => {
  const before = left()
  const recording = new Recording('wav')
  recording.take(Int16Array.of(1, -1, 2, -2), 8_000)
  recording.take(Int16Array.of(3, -3), 8_000)
  const pieces: Buffer[] = []
  await recording.handOver(async ({ open }) => {
    assert.deepEqual(left(), before) // nor would it if this process ended now
    for await (const piece of open()) pieces.push(piece as Buffer)
    assert.deepEqual(await buffer(open()), Buffer.concat(pieces), 'and once more')
  })
  const wav = Buffer.concat(pieces)
  assert.equal(wav.toString('latin1', 0, 4) + wav.toString('latin1', 8, 16), 'RIFFWAVEfmt ')
  assert.deepEqual([wav.readUInt16LE(22), wav.readUInt32LE(24), wav.readUInt32LE(40)], [2, 8_000, 12])
  assert.deepEqual(
    [...new Int16Array(wav.buffer.slice(wav.byteOffset + 44, wav.byteOffset + wav.length))],
    [1, -1, 2, -2, 3, -3],
  )
  assert.deepEqual(left(), before)
})

test('a recording in Opus is an Ogg file as long as what was said, and says how loud each side was', async () => {
  const recording = new Recording('opus')
  for (let at = 0; at < 75; at += 1)
    recording.take(
      Int16Array.from({ length: 320 }, (_, n) => (n % 2 === 0 ? 9000 * Math.sin(n / 9) : 0)),
      8_000,
    )
  await recording.handOver(async ({ open, format, peaks }) => {
    const file = await buffer(open())
    assert.deepEqual([format, file.toString('latin1', 0, 4)], ['opus', 'OggS'])
    const last = file.lastIndexOf('OggS')
    assert.equal(file.readBigInt64LE(last + 6), BigInt(75 * 960 + file.readUInt16LE(28 + 10)))
    assert.ok(file.length < 75 * 200, `${file.length} bytes`)
    assert.ok(peaks.length >= 150 && peaks.every((loud, at) => (at % 2 === 0 ? loud > 60 : loud === 0)))
  })
})

test('a sample rate that Opus does not have is recorded as WAV', async () => {
  const recording = new Recording('opus')
  recording.take(Int16Array.of(1, -1), 11_025)
  await recording.handOver(async ({ open, format }) => {
    assert.deepEqual([format, (await buffer(open())).toString('latin1', 0, 4)], ['wav', 'RIFF'])
  })
})

test('a recording that is not uploaded is deleted too', async () => {
  const before = left()
  const recording = new Recording('wav')
  recording.take(Int16Array.of(1, 1), 8_000)
  await assert.rejects(
    recording.handOver(() => Promise.reject(new Error('the gateway is away'))),
    { message: 'the gateway is away' },
  )
  assert.deepEqual(left(), before)
})

test('a recording that could not be written is not handed over, and ends no call', async (t) => {
  const usual = process.env['TMPDIR']
  t.after(() => (usual === undefined ? delete process.env['TMPDIR'] : (process.env['TMPDIR'] = usual)))
  process.env['TMPDIR'] = '/nowhere'
  const recording = new Recording('wav')
  for (let at = 0; at < 3; at += 1) recording.take(Int16Array.of(1, 1), 8_000)
  await assert.rejects(
    recording.handOver(() => assert.fail('there is nothing')),
    { message: 'the recording could not be written' },
  )
})

test('a long recording is handed over whole, however it came', async () => {
  const recording = new Recording('wav')
  const sizes: number[] = []
  for (let at = 0; at < 2_000; at += 1) {
    recording.take(new Int16Array(320).fill(at), 8_000)
    if (at % 7 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  await recording.handOver(async ({ open }) => {
    for await (const piece of open()) sizes.push((piece as Buffer).length)
  })
  assert.equal(
    sizes.reduce((sum, size) => sum + size, 0),
    44 + 2_000 * 640,
  )
})

test('if nothing was said nothing is handed over', async () => {
  await new Recording('wav').handOver(() => assert.fail('there is nothing'))
})
