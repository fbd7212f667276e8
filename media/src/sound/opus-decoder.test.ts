import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { Encoder } from '@evan/opus'
import { likenessOf, recordedSpeech } from '@switchroom/audio/testing/recorded-speech'
import { isOpusPause, OpusDecoder } from './opus-decoder.ts'

const frame = 320
const speech = recordedSpeech()

function encoded(configure: (encoder: Encoder) => void = () => {}): Uint8Array[] {
  const encoder = new Encoder({ channels: 1, sample_rate: 16_000, application: 'voip' })
  encoder.bitrate = 32_000
  configure(encoder)
  const frames = Array.from({ length: Math.floor(speech.length / frame) }, (_, at) =>
    speech.subarray(at * frame, (at + 1) * frame),
  )
  return frames.map((samples) => encoder.encode(samples))
}

/** All of it, each seventh packet made up by what is given. */
function decoded(
  packets: readonly Uint8Array[],
  lost?: (decoder: OpusDecoder, next?: Uint8Array) => Int16Array,
) {
  const decoder = new OpusDecoder(16_000)
  const heard = packets.map((packet, at) =>
    lost && at % 7 === 3 ? lost(decoder, packets[at + 1]) : (decoder.decode(packet) ?? new Int16Array(frame)),
  )
  return Int16Array.from(heard.flatMap((samples) => [...samples]))
}

test('Opus makes up for a lost packet, and does so far better from the one behind it that repeats it', () => {
  const packets = encoded((encoder) => {
    encoder.inband_fec = true
    encoder.packet_loss = 10
  })
  const whole = decoded(packets)
  const silent = likenessOf(
    decoded(packets, () => new Int16Array(frame)),
    whole,
  )
  const guessed = likenessOf(
    decoded(packets, (decoder) => decoder.conceal(frame)),
    whole,
  )
  const repeated = likenessOf(
    decoded(packets, (decoder, next) => decoder.conceal(frame, next)),
    whole,
  )
  assert.ok(guessed > silent + 1, `${silent} dB of silence, ${guessed} dB made up`)
  assert.ok(repeated > guessed + 6, `${guessed} dB made up, ${repeated} dB repeated`)
})

test('a gap is as long as it was, whatever its length', () => {
  const decoder = new OpusDecoder(24_000)
  const [packet] = encoded()
  decoder.decode(packet ?? new Uint8Array(0))
  for (const samples of [1, 60, 333, 480, 9600]) assert.equal(decoder.conceal(samples).length, samples)
})

test('an encoder that pauses says so in packets of a byte or two', () => {
  const encoder = new Encoder({ channels: 1, sample_rate: 16_000, application: 'voip' })
  encoder.dtx = true
  const packets = Array.from({ length: 50 }, () => encoder.encode(new Int16Array(frame)))
  assert.ok(packets.some(isOpusPause))
  assert.ok(!encoded().some(isOpusPause))
})

test('bytes that are no Opus make no sound and do no harm', () => {
  const decoder = new OpusDecoder(16_000)
  const packets = encoded()
  let decodable = 0
  for (let at = 0; at < 3000; at += 1) {
    const bytes = randomBytes(at % 400)
    if (at % 3 === 0) bytes.set(packets[at % packets.length]?.subarray(0, bytes.length) ?? [])
    const heard = decoder.decode(bytes)
    if (heard) decodable += 1
    assert.ok((heard?.length ?? 0) <= 1920)
    assert.equal(decoder.conceal(frame, bytes).length, frame)
  }
  assert.ok(decodable > 0)
  assert.equal(decoder.decode(new Uint8Array(100_000)), undefined)
  assert.equal(decoder.decode(new Uint8Array(0)), undefined)
  for (const packet of packets.slice(0, 20)) assert.equal(decoder.decode(packet)?.length, frame)
})
