import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LocalDescription, readOffer } from './offer.ts'

const described = (...media: string[]) =>
  `${['v=0', 'o=- 1 1 IN IP4 192.0.2.1', 's=-', 'c=IN IP4 192.0.2.1', 't=0 0', ...media].join('\r\n')}\r\n`

const answerTo = (...media: string[]) =>
  new LocalDescription('203.0.113.5', 20_000).answer(readOffer(described(...media)))

const chosen = (...media: string[]) => {
  const { codec, payloadType } = readOffer(described(...media)).terms
  return [codec, payloadType]
}

test('the first codec that a far end names and we speak is taken: Opus, G.722, PCMU or PCMA', () => {
  assert.deepEqual(chosen('m=audio 4000 RTP/AVP 9 0 8'), ['G722', 9])
  assert.deepEqual(chosen('m=audio 4000 RTP/AVP 18 8 9 0'), ['PCMA', 8])
  assert.deepEqual(chosen('m=audio 4000 RTP/AVP 96 9', 'a=rtpmap:96 opus/48000/2'), ['opus', 96])
  assert.deepEqual(chosen('m=audio 4000 RTP/AVP 98 0', 'a=rtpmap:98 G722/16000'), ['G722', 98])
})

test('what only sounds like a codec of ours is none', () => {
  for (const rtpmap of ['opus/16000', 'G722/32000', 'PCMU/16000', 'PCMU/8000/2', 'G722/8000/2', 'iLBC/8000'])
    assert.deepEqual(chosen('m=audio 4000 RTP/AVP 96 0', `a=rtpmap:96 ${rtpmap}`), ['PCMU', 0], rtpmap)
  assert.deepEqual(chosen('m=audio 4000 RTP/AVP 111 8'), ['PCMA', 8]) // no number of its own
})

test('an answer names the codec as RFC 3551 and RFC 7587 write it', () => {
  assert.match(answerTo('m=audio 4000 RTP/AVP 9'), /AVP 9\r\na=rtpmap:9 G722\/8000\r\n/)
  const opus = answerTo('m=audio 4000 RTP/AVP 96', 'a=rtpmap:96 opus/48000/2')
  assert.match(
    opus,
    /AVP 96\r\na=rtpmap:96 opus\/48000\/2\r\na=fmtp:96 maxplaybackrate=24000;useinbandfec=1\r\n/,
  )
})

test('an answer with more than one codec says what else may come', () => {
  const local = new LocalDescription('203.0.113.5', 20_000)
  local.offer()
  const { terms } = local.readAnswer(described('m=audio 4000 RTP/AVP 0 18 8 9 101'))
  assert.deepEqual(terms.others, [
    { codec: 'PCMA', payloadType: 8 },
    { codec: 'G722', payloadType: 9 },
  ])
  assert.equal(local.readAnswer(described('m=audio 4000 RTP/AVP 0')).terms.others, undefined)
})

test('telephone events have the clock of the sound, or the usual one if a far end has no other (RFC 4733)', () => {
  const events = ['a=rtpmap:101 telephone-event/8000', 'a=rtpmap:102 telephone-event/48000']
  const tones = (...media: string[]) => {
    const { tonePayloadType, toneClockRate = 8000 } = readOffer(described(...media)).terms
    return [tonePayloadType, toneClockRate]
  }
  const opus = ['m=audio 4000 RTP/AVP 96 0 101 102', 'a=rtpmap:96 opus/48000/2']
  assert.deepEqual(tones(...opus, ...events), [102, 48_000])
  assert.deepEqual(tones(...opus, events[0] ?? ''), [101, 8000])
  assert.deepEqual(tones('m=audio 4000 RTP/AVP 9 101 102', ...events), [101, 8000])
  assert.deepEqual(tones('m=audio 4000 RTP/AVP 9 102', events[1] ?? ''), [null, 8000])
  assert.match(answerTo(...opus, ...events), /AVP 96 102\r\n[^]*a=rtpmap:102 telephone-event\/48000\r\n/)
})

test('comfort noise is agreed on beside codecs of 8000 ticks, and not beside Opus', () => {
  const comfort = (...media: string[]) => readOffer(described(...media)).terms.comfortPayloadType
  assert.equal(comfort('m=audio 4000 RTP/AVP 0 13'), 13)
  assert.equal(comfort('m=audio 4000 RTP/AVP 9 97', 'a=rtpmap:97 CN/8000'), 97)
  assert.equal(comfort('m=audio 4000 RTP/AVP 9 97', 'a=rtpmap:97 CN/16000'), undefined)
  assert.equal(comfort('m=audio 4000 RTP/AVP 96 13', 'a=rtpmap:96 opus/48000/2'), undefined)
  assert.match(answerTo('m=audio 4000 RTP/AVP 0 13'), /AVP 0 13\r\n/)
  assert.doesNotMatch(answerTo('m=audio 4000 RTP/AVP 0'), /CN/)
})

test('what a far end wants of the Opus that it gets is read, within what we would send', () => {
  const wants = (fmtp: string) =>
    readOffer(described('m=audio 4000 RTP/AVP 96', 'a=rtpmap:96 opus/48000/2', `a=fmtp:96 ${fmtp}`)).terms
      .opus
  assert.deepEqual(wants('stereo=0;useinbandfec=1; usedtx=1;maxaveragebitrate=16000'), {
    bitsPerSecond: 16_000,
    repeats: true,
    takesPauses: true,
  })
  const plain = { bitsPerSecond: 32_000, repeats: false, takesPauses: false }
  for (const fmtp of ['stereo=1', 'maxaveragebitrate=510000', 'maxaveragebitrate=1', 'xuseinbandfec=1'])
    assert.deepEqual(wants(fmtp), plain, fmtp)
})
