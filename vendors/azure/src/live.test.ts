import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { vendorIn } from '@switchroom/kit/installed'
import { audioOf } from '@switchroom/kit/testing/transcriber-at'
import { startWireFake, type SocketAnswer, type Wire } from '@switchroom/kit/testing/wire-fake'
import type { Heard, LiveAudio } from '@switchroom/kit/vendor'
import { azureWire, type AzureWire, phrase, readFrame, sayer } from '../testing/wire.ts'
import adapter from './adapter.ts'

const credentials = { api_key: 'key-of-a-test', region: 'westeurope' }

interface Asked {
  model?: string
  knobs?: Record<string, unknown>
  options?: Record<string, unknown>
}

async function heardOn(
  wire: Wire,
  { options, ...choice }: Asked = {},
  audio: AsyncIterable<LiveAudio> = audioOf(new Uint8Array(640)),
) {
  const fake = await startWireFake(wire)
  try {
    const settled = { ...choice, options: { ...options, base_url: fake.url }, credentials }
    const transcriber = await vendorIn(join(import.meta.dirname, '..'))?.transcriber(settled)
    const heard = transcriber?.listen?.(audio, 8_000, AbortSignal.timeout(10_000))
    assert.ok(heard)
    return { heard: await Array.fromAsync(heard), url: fake.seen[0]?.url }
  } finally {
    await fake.stop()
  }
}

/** A service that answers the frames of the client like this. */
const answering = (
  answer: (path: string, say: ReturnType<typeof sayer>, socket: SocketAnswer) => void,
): Wire => ({
  refusal: () => ({}),
  socket: (socket) =>
    socket.onFrame((frame) => {
      const { path, request, body } = readFrame(frame)
      const isEnd = path === 'audio' && body.length === 0
      answer(isEnd ? 'end' : path, sayer(socket, request), socket)
    }),
})

const detectionIn = ({ contexts: [context = {}] }: AzureWire) =>
  context['phraseDetection'] as Record<string, Record<string, unknown>>

const finals = (heard: Heard[]) => heard.flatMap((one) => (one.type === 'final' ? [one] : []))

test('a language without a country is asked for with its usual one, and US English if none is set', async () => {
  for (const [language, locale] of [
    [undefined, 'en-US'],
    ['pt', 'pt-BR'],
    ['en-gb', 'en-GB'],
    ['no', 'nb-NO'],
    ['zh', 'zh-CN'],
  ]) {
    const wire = azureWire()
    const { url } = await heardOn(wire, { knobs: { language } })
    assert.equal(url?.searchParams.get('language'), locale)
    assert.deepEqual(wire.contexts[0]?.['phraseDetection'], { language: locale, mode: 'Conversation' })
  }
})

test('speakers, profanity and the silence that ends a phrase are asked for as the vendor names them', async () => {
  const wire = azureWire()
  const options = { profanity: 'raw', segmentation_silence_ms: 700 }
  const { url, heard } = await heardOn(wire, { knobs: { diarize: true }, options })
  assert.deepEqual(
    finals(heard).map(({ speaker }) => speaker),
    [0],
  )
  const { speakerDiarization: speakers, ...detection } = detectionIn(wire)
  assert.deepEqual(detection, {
    language: 'en-US',
    mode: 'Conversation',
    conversation: { segmentation: { mode: 'Custom', segmentationSilenceTimeoutMs: 700 } },
    enrichment: { profanity: 'Raw' },
  })
  assert.deepEqual([speakers?.['mode'], speakers?.['audioOffsetMs']], ['Anonymous', 0])
  assert.deepEqual(
    [url?.searchParams.get('profanity'), url?.searchParams.get('segmentationSilenceTimeoutMs')],
    ['raw', '700'],
  )
})

test('a phrase may end by its meaning', async () => {
  const wire = azureWire()
  await heardOn(wire, { options: { segmentation_strategy: 'semantic' } })
  const { conversation } = detectionIn(wire)
  assert.deepEqual(conversation, { segmentation: { mode: 'Semantic' } })
})

test('a model of the account is asked for by its id', async () => {
  const wire = answering((path, say) => path === 'end' && say('turn.end', {}))
  const { url } = await heardOn(wire, { options: { endpoint_id: 'a-model' } })
  assert.deepEqual([url?.searchParams.get('cid'), url?.searchParams.get('language')], ['a-model', null])
})

test('a longer list of phrases than it takes is cut short, not refused', async () => {
  const wire = azureWire()
  await heardOn(wire, { knobs: { heard: Array.from({ length: 600 }, (_, at) => `word${at}`) } })
  const grammar = wire.contexts[0]?.['dgi'] as { groups: { items: unknown[] }[] } | undefined
  assert.equal(grammar?.groups[0]?.items.length, 500)
})

test('a turn that the vendor ends is followed by the next, whose times continue', async () => {
  const { promise: isNext, resolve: next } = Promise.withResolvers<void>()
  const turns: string[] = []
  async function* twoSeconds(): AsyncIterable<LiveAudio> {
    yield new Uint8Array(16_000)
    await isNext
    yield new Uint8Array(16_000)
  }
  const socket: Wire['socket'] = (answer) =>
    answer.onFrame((frame) => {
      const { path, request, body } = readFrame(frame)
      const say = sayer(answer, request)
      if (path === 'speech.context') turns.push(request)
      if (turns.length === 2) next()
      const isFirstSound = path === 'audio' && turns.length === 1 && body.length === 16_000
      if (!isFirstSound && !(path === 'audio' && body.length === 0)) return
      say('speech.phrase', phrase('Hello there.', 0.1))
      say('turn.end', {})
    })
  const { heard } = await heardOn({ refusal: () => ({}), socket }, {}, twoSeconds())
  assert.equal(new Set(turns).size, 2)
  assert.deepEqual(
    finals(heard).map(({ start, words }) => [start, words?.[1]?.start]),
    [
      [0.1, 0.6],
      [1.1, 1.6],
    ],
  )
})

test('silence, and noise without words, are nothing that was heard', async () => {
  const wire = answering((path, say) => {
    if (path !== 'end') return
    for (const RecognitionStatus of ['InitialSilenceTimeout', 'NoMatch', 'BabbleTimeout', 'EndOfDictation'])
      say('speech.phrase', { RecognitionStatus, Offset: 0, Duration: 0 })
    say('turn.end', {})
  })
  assert.deepEqual((await heardOn(wire)).heard, [{ type: 'ready' }])
})

test('speakers are numbered, and words that are written otherwise than they sound keep their sound', async () => {
  const wire = answering((path, say) => {
    if (path !== 'end') return
    const words = phrase('twenty five', 0).NBest[0]
    say('speech.phrase', phrase('', 0, { NBest: [{ ...words, Display: '25' }], SpeakerId: 'Guest-2' }))
    say('speech.phrase', phrase('Yes.', 2, { SpeakerId: 'Guest-1' }))
    say('speech.phrase', phrase('No.', 3, { SpeakerId: 'Unknown' }))
    say('turn.end', {})
  })
  const said = finals((await heardOn(wire)).heard)
  assert.deepEqual(
    said.map(({ text, speaker: number, words }) => [text, number, words?.map(({ word }) => word)]),
    [
      ['25', 0, ['twenty', 'five']],
      ['Yes.', 1, ['Yes.']],
      ['No.', undefined, ['No.']],
    ],
  )
})

test('a phrase that failed is a refusal or none, as it says (SD-26)', async () => {
  const failing = (RecognitionStatus: string) =>
    heardOn(
      answering(
        (path, say) => path === 'end' && say('speech.phrase', { RecognitionStatus, Offset: 0, Duration: 0 }),
      ),
    )
  await assert.rejects(failing('Forbidden'), {
    kind: 'refused',
    message: 'its recognition failed: Forbidden',
  })
  await assert.rejects(failing('Error'), { kind: 'silent' })
  await assert.rejects(failing('TooManyRequests'), { kind: 'silent', retryAfterMs: 500 })
})

test('a close says whether it was a refusal (SD-26)', async () => {
  const closing = (code: number, reason: string) =>
    heardOn(answering((path, _, socket) => path === 'end' && socket.close(code, reason)))
  await assert.rejects(closing(1007, 'no such language'), { kind: 'refused', message: 'no such language' })
  await assert.rejects(closing(1000, ''), { kind: 'silent', message: 'it broke off: close code 1000' })
})

test('the region picks the host, and one that is no name is refused', () => {
  const at = (region: string) =>
    adapter.transcriber({ class: 'STT', keywords: {}, credentials: { ...credentials, region } })
  assert.ok(at('westeurope').listen)
  assert.throws(() => at('evil.example/'), {
    kind: 'refused',
    message: 'the region is no short name of a region: use the one of the key, such as westeurope',
  })
})

test('a model or a rate that does not exist is refused with those that do', () => {
  const at = (keywords: Record<string, unknown>) =>
    adapter.transcriber({ class: 'STT', keywords, credentials })
  assert.throws(() => at({ model: 'nova-3' }), {
    kind: 'refused',
    message: 'azure has no speech-to-text model "nova-3": use conversation or dictation',
  })
  assert.throws(() => at({}).listen(audioOf(), 24_000, AbortSignal.timeout(1_000)), {
    kind: 'refused',
    message: 'azure hears sound of 8000 or 16000 Hz, not of 24000',
  })
})
