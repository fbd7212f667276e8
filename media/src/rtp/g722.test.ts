import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { missing, pathOf } from '@switchroom/tools/debian-packages'
import { likenessOf, recordedSpeech } from '@switchroom/audio/testing/recorded-speech'
import { sine, strengthOf } from '@switchroom/audio/testing/tones'
import { G722Decoder, G722Encoder } from '@switchroom/audio/g722'
import { bytesOf, samplesOf } from '@switchroom/audio/pcm'

const skip = missing('ffmpeg')
const raw = ['-f', 's16le', '-ar', '16000', '-ac', '1']
const coded = ['-f', 'g722']

function ffmpeg(from: readonly string[], to: readonly string[], input: Uint8Array): Uint8Array {
  const options = ['-hide_banner', '-loglevel', 'error', ...from, '-i', 'pipe:0', ...to, 'pipe:1']
  const { stdout, stderr } = spawnSync(pathOf('ffmpeg'), options, { input, timeout: 60_000 })
  assert.equal(stderr.toString(), '')
  return Uint8Array.from(stdout)
}

test('ffmpeg encodes speech to the same bytes of G.722 as we do', { skip }, () => {
  const speech = recordedSpeech()
  const ours = new G722Encoder().encode(speech)
  // it fills up its last frame
  assert.deepEqual(ffmpeg(raw, coded, bytesOf(speech)).subarray(0, ours.length), ours)
})

test('ffmpeg decodes G.722 to the same samples as we do, of speech and of anything', { skip }, () => {
  const anything = Uint8Array.from({ length: 16_000 }, (_, at) => Math.imul(at + 1, 2_654_435_761) >>> 24)
  for (const bytes of [new G722Encoder().encode(recordedSpeech()), anything])
    assert.deepEqual(samplesOf(ffmpeg(coded, raw, bytes)), new G722Decoder().decode(bytes))
})

test('the bytes of G.722 are those that were compared with ffmpeg, also where it is not installed', () => {
  const bytes = new G722Encoder().encode(recordedSpeech())
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 16)
  assert.equal(digest, '58b44eaf2f8e5ef7')
})

test('sound of 16 kHz comes back from G.722 whole, also above what a telephone carries', () => {
  const [encoder, decoder] = [new G722Encoder(), new G722Decoder()]
  for (const hz of [300, 1000, 3000, 6000]) {
    const heard = decoder.decode(encoder.encode(sine(hz, 3200, 16_000)))
    const strength = strengthOf(hz, heard.subarray(800), 16_000)
    assert.ok(strength > 0.9 && strength < 1.1, `${hz} Hz: ${strength}`)
  }
})

test('G.722 in pieces is the same as in one', () => {
  const speech = recordedSpeech()
  const whole = new G722Encoder().encode(speech)
  const [encoder, decoder] = [new G722Encoder(), new G722Decoder()]
  const pieces: number[] = []
  const heard: number[] = []
  for (let at = 0; at < speech.length; at += 320) {
    const piece = encoder.encode(speech.subarray(at, at + 320))
    pieces.push(...piece)
    heard.push(...decoder.decode(piece))
  }
  assert.deepEqual(Uint8Array.from(pieces), whole)
  // the two filters of the codec are 22 samples late
  assert.ok(likenessOf(Int16Array.from(heard).subarray(22), speech.subarray(0, -22)) > 15)
})
