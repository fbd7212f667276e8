import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resampled } from '@switchroom/audio/resampler'
import { recordedSpeech } from '@switchroom/audio/testing/recorded-speech'
import { strengthOf } from '@switchroom/audio/testing/tones'
import { onThePhone } from '../../testing/rtp-call.ts'
import { loudPart, type RtpPhone } from '../../testing/rtp-phone.ts'
import { codecs } from './codecs.ts'
import { ToneSender } from './telephone-events.ts'

// Measures time: sound that is sent every 20 ms.

/** Keys as a phone makes them audible. */
function sayKeys(phone: RtpPhone, keys: string): void {
  const tones = new ToneSender(codecs[phone.codec].sampleRate)
  void tones.send(keys)
  for (;;) {
    const tone = tones.next(0, null)
    if (tone?.kind !== 'samples') return
    phone.say(tone.samples)
  }
}

for (const codec of ['PCMU', 'G722', 'opus'] as const)
  test(`keys in the sound are reported once each if a phone in ${codec} agreed on no telephone events`, async (t) => {
    const { phone, leg } = await onThePhone(t, codec, { tonePayloadType: null })
    const all = Promise.withResolvers<void>()
    let digits = ''
    leg.onTone((digit) => {
      digits += digit
      if (digits.length === 6) all.resolve()
    })
    sayKeys(phone, '1590*D')
    await all.promise
    assert.equal(digits, '1590*D')
  })

test('keys in the sound are not reported if telephone events are agreed on, and speech never is a key', async (t) => {
  const { phone, leg } = await onThePhone(t)
  const { phone: other, leg: audible } = await onThePhone(t, 'PCMU', { tonePayloadType: null })
  leg.onTone(() => assert.fail('a key was reported'))
  audible.onTone(() => assert.fail('a key was reported'))
  sayKeys(phone, '12')
  const speech = resampled(recordedSpeech(), 16_000, 8000)
  for (let at = 0; at + 160 <= 8000; at += 160) other.say(speech.subarray(at, at + 160))
  let frames = 0
  for await (const _ of audible.heard()) if ((frames += 1) > 55) break
})

test('a phone that says its keys by INFO is heard by INFO alone: a key that is audible too counts once', async (t) => {
  const { phone, leg } = await onThePhone(t, 'PCMU', { tonePayloadType: null })
  const digits: string[] = []
  const first = Promise.withResolvers<void>()
  leg.onTone((digit) => {
    digits.push(digit)
    first.resolve()
  })
  sayKeys(phone, '5')
  await first.promise
  leg.press('5') // the same one
  leg.press('6')
  sayKeys(phone, '6')
  let frames = 0
  for await (const _ of leg.heard()) if ((frames += 1) > 25) break
  assert.deepEqual(digits, ['5', '6'])
})

test('keys are pressed by INFO if the phone takes it and no telephone events, and audibly once it refuses', async (t) => {
  const terms = { tonePayloadType: null, takesInfo: true as const }
  const { phone, leg, asked, refuseInfo } = await onThePhone(t, 'PCMU', terms)
  await leg.sendTones('1#')
  assert.deepEqual(asked, ['INFO 1', 'INFO #'])
  assert.equal(loudPart(phone.heard).length, 0)
  refuseInfo()
  await leg.sendTones('1')
  await phone.until(() => strengthOf(697, loudPart(phone.heard)) > 0.5)
  assert.ok(strengthOf(1209, loudPart(phone.heard)) > 0.5)
})
