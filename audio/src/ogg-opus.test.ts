import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { missing, pathOf } from '@switchroom/tools/debian-packages'
import { isOpusRate, OggOpusWriter } from './ogg-opus.ts'

const folder = mkdtempSync(join(tmpdir(), 'switchroom-opus-'))
after(() => rmSync(folder, { recursive: true }))

/** The caller whistles on the left, then the agent on the right. */
function duet(rate: number, ms: number): Int16Array {
  const samples = (rate * ms) / 1000
  return Int16Array.from({ length: 2 * samples }, (_, at) => {
    const [sample, isRight] = [Math.floor(at / 2), at % 2 === 1]
    const isTheirs = isRight === sample > samples / 2
    return isTheirs ? 12_000 * Math.sin((2 * Math.PI * (isRight ? 900 : 500) * sample) / rate) : 0
  })
}

function writtenBy(rate: number, sound: Int16Array, pieces: number): Buffer {
  if (!isOpusRate(rate)) throw new Error(`${rate} is no rate of Opus`)
  const writer = new OggOpusWriter(rate, 1)
  const parts = [writer.head()]
  for (let at = 0; at < sound.length; at += pieces) parts.push(writer.encode(sound.subarray(at, at + pieces)))
  return Buffer.concat([...parts, writer.end()])
}

const energyOf = (sound: Int16Array, channel: 0 | 1, from: number, to: number) => {
  let sum = 0
  for (let at = from; at < to; at += 1) sum += (sound[2 * at + channel] ?? 0) ** 2
  return sum / (to - from)
}

for (const rate of [8000, 16_000, 24_000])
  test(
    `what is written of ${rate} samples a second is decoded by ffmpeg without a complaint, as long as it was and each side apart`,
    { skip: missing('ffmpeg') },
    () => {
      const ms = 3010
      const file = join(folder, `${rate}.opus`)
      writeFileSync(file, writtenBy(rate, duet(rate, ms), 2 * 333))
      const probe = [
        '-v',
        'error',
        '-show_entries',
        'stream=codec_name,channels:format=format_name,duration',
        '-of',
        'csv',
      ]
      const probed = spawnSync(pathOf('ffmpeg').replace('ffmpeg', 'ffprobe'), [...probe, file], {
        encoding: 'utf8',
      })
      assert.equal(probed.stderr, '')
      assert.match(probed.stdout, /stream,opus,2\nformat,ogg,3\.01/)
      const decoding = ['-v', 'warning', '-i', file, '-f', 's16le', '-ar', String(rate), '-ac', '2', '-']
      const decoded = spawnSync(pathOf('ffmpeg'), decoding, { maxBuffer: 1e8 })
      assert.equal(decoded.stderr.toString(), '')
      const { buffer, byteOffset, length } = decoded.stdout
      const sound = new Int16Array(buffer.slice(byteOffset, byteOffset + length))
      const samples = sound.length / 2
      assert.ok(Math.abs(samples - (rate * ms) / 1000) <= 2, `${samples} samples`)
      const [early, middle, late] = [
        Math.floor(samples * 0.1),
        Math.floor(samples * 0.5),
        Math.floor(samples * 0.9),
      ]
      const apart = middle - early
      for (const [own, other, from] of [
        [0, 1, early],
        [1, 0, late - apart + early],
      ] as const) {
        const [loud, quiet] = [own, other].map((channel) =>
          energyOf(sound, channel, from, from + apart - early),
        )
        assert.ok((loud ?? 0) > 1e7, `channel ${own} has ${loud}`)
        assert.ok((quiet ?? 0) < (loud ?? 0) / 300, `channel ${other} has ${quiet} beside ${loud}`)
      }
    },
  )

test('however the sound comes, the file is the same', () => {
  const sound = duet(8000, 2000)
  const whole = writtenBy(8000, sound, sound.length)
  for (const pieces of [2, 160 * 2, 4242]) assert.deepEqual(writtenBy(8000, sound, pieces), whole)
})
