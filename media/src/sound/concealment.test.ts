import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resampled } from '@switchroom/audio/resampler'
import { levelErrorOf, likenessOf, recordedSpeech } from '@switchroom/audio/testing/recorded-speech'
import { sine } from '@switchroom/audio/testing/tones'
import { type Codec, codecs } from '../rtp/codecs.ts'
import { newCoding, newEncode } from '../rtp/coders.ts'
import { Concealment } from './concealment.ts'

const levelOf = (samples: Int16Array) => Math.max(...samples.map(Math.abs))

test('a lost moment of a tone goes on in its rhythm, and is silent after 60 ms', () => {
  const concealment = new Concealment(8000)
  concealment.heard(sine(200, 800))
  const frames = Array.from({ length: 5 }, () => concealment.fill(160))
  const expected = sine(200, 80, 8000, 800)
  assert.ok(likenessOf(frames[0]?.subarray(0, 80) ?? expected, expected) > 20)
  const levels = frames.map(levelOf)
  assert.ok((levels[0] ?? 0) > 7500 && (levels[1] ?? 0) < (levels[0] ?? 0) && (levels[2] ?? 0) > 0)
  assert.deepEqual(levels.slice(3), [0, 0])
})

test('what follows a gap begins without a jump, and is itself after 5 ms', () => {
  const concealment = new Concealment(8000)
  concealment.heard(sine(200, 800))
  const made = concealment.fill(160)
  const next = sine(330, 160, 8000, 17)
  const heard = next.slice()
  concealment.heard(heard)
  assert.ok(Math.abs((heard[0] ?? 0) - (made.at(-1) ?? 0)) < 1500)
  assert.deepEqual(heard.subarray(40), next.subarray(40))
})

test('silence is continued as silence', () => {
  assert.equal(levelOf(new Concealment(16_000).fill(320)), 0)
})

/** So that the losses are everywhere in the sentence. */
const rounds = 6

/** Which of so many packets are lost: the same ones in every run. */
function losses(count: number, percent: number, round: number): boolean[] {
  let seed = 7 + round
  return Array.from({ length: count }, () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
    return (seed >>> 8) % 100 < percent
  })
}

/** Speech through a codec with packets lost, made up for as calls do it, or silent. */
function received(
  codec: Codec,
  packets: readonly Uint8Array[],
  lost: readonly boolean[],
  isConcealed: boolean,
) {
  const { sampleRate } = codecs[codec]
  const frame = sampleRate / 50
  const coding = newCoding(codec)
  const concealment = new Concealment(sampleRate)
  return packets.flatMap((packet, at) => {
    if (!lost[at]) {
      const samples = coding.decode(packet) ?? new Int16Array(frame)
      if (!coding.conceal && isConcealed) concealment.heard(samples)
      return [...samples]
    }
    if (!isConcealed) return [...new Int16Array(frame)]
    return [
      ...(coding.conceal?.(frame, lost[at + 1] ? undefined : packets[at + 1]) ?? concealment.fill(frame)),
    ]
  })
}

for (const codec of ['PCMU', 'G722', 'opus'] as const)
  test(`speech in ${codec} with lost packets is nearer to what was said than with silence in their place`, (t) => {
    const { sampleRate } = codecs[codec]
    const frame = sampleRate / 50
    const speech = resampled(recordedSpeech(), 16_000, sampleRate)
    const encode = newEncode(codec, { bitsPerSecond: 32_000, repeats: true, takesPauses: false })
    const packets = Array.from({ length: Math.floor(speech.length / frame) }, (_, at) =>
      encode(speech.subarray(at * frame, (at + 1) * frame)),
    )
    const all = Array.from({ length: rounds }, (_, round) => round)
    const whole = Int16Array.from(all.flatMap(() => received(codec, packets, [], true)))
    const measured = (percent: number, isConcealed: boolean) => {
      const heard = Int16Array.from(
        all.flatMap((round) => received(codec, packets, losses(packets.length, percent, round), isConcealed)),
      )
      return { likeness: likenessOf(heard, whole), levelError: levelErrorOf(heard, whole, sampleRate) }
    }
    const said = ({ likeness, levelError }: ReturnType<typeof measured>) =>
      `${likeness.toFixed(1)} dB like it, levels ${levelError.toFixed(1)} dB off`
    for (const percent of [5, 10, 20]) {
      const [silent, concealed] = [measured(percent, false), measured(percent, true)]
      const figures = `${percent} % lost: silent ${said(silent)}; made up ${said(concealed)}`
      t.diagnostic(figures)
      assert.ok(concealed.levelError < 0.75 * silent.levelError, figures)
      // only a repeated packet is the sound itself
      if (codec === 'opus') assert.ok(concealed.likeness > silent.likeness + 3, figures)
    }
  })
