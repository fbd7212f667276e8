import assert from 'node:assert/strict'
import { availableParallelism } from 'node:os'
import { before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { VendorFailure } from '@switchroom/kit/failures'
import { vendorIn } from '@switchroom/kit/installed'
import type { Heard, HeardWord, LiveAudio } from '@switchroom/kit/vendor'
import { wavHeader, wavOf } from '@switchroom/audio/wav'
import {
  atPace,
  transcriber,
  patient,
  programsUnder,
  shareHeard,
  spoken,
  spokenRate,
  until,
} from '../testing/speech.ts'
import { Resampler } from '@switchroom/audio/resampler'

const sentence = 'Please call me back tomorrow morning because I would like to change my order.'
const most = Math.min(8, 4 * availableParallelism())
const ours = () => programsUnder(process.pid, 'hearing/program.ts')
let pcm: Buffer
let silence: Buffer

before(async () => {
  pcm = (await spoken(sentence)).pcm
  silence = Buffer.alloc(2 * spokenRate)
})

const transcript = (bytes: Uint8Array) =>
  transcriber().transcribe({ bytes, mediaType: 'audio/wav' }, patient())

const finals = (heard: Heard[]) => heard.filter((one) => one.type === 'final')

function assertInOrder(words: readonly HeardWord[], seconds: number) {
  let last = 0
  for (const { start, end } of words) {
    assert.ok(start >= last && end >= start && end <= seconds, `${start} to ${end} after ${last}`)
    last = start
  }
}

async function failureOf(answer: Promise<unknown>): Promise<VendorFailure> {
  return answer.then(
    () => assert.fail('it should have failed'),
    (error: VendorFailure) => error,
  )
}

function resampled(from: Uint8Array, rate: number): Int16Array {
  const samples = new Int16Array(from.buffer.slice(from.byteOffset, from.byteOffset + from.byteLength))
  const resampler = new Resampler(spokenRate, rate)
  const floats = resampler.push(Float32Array.from(samples, (sample) => sample / 32_768))
  return Int16Array.from(floats, (sample) => Math.max(-1, Math.min(1, sample)) * 32_767)
}

/** A recording of both channels alike. */
function stereoFloatWav(samples: Int16Array, rate: number): Buffer {
  const data = Buffer.from(
    Float32Array.from({ length: 2 * samples.length }, (_, at) => (samples[at >> 1] ?? 0) / 32_768).buffer,
  )
  const header = wavHeader({ sampleRate: rate, dataBytes: data.length })
  header.writeUInt16LE(3, 20)
  header.writeUInt16LE(2, 22)
  header.writeUInt32LE(rate * 8, 28)
  header.writeUInt16LE(8, 32)
  header.writeUInt16LE(32, 34)
  return Buffer.concat([header, data])
}

test('speech-to-text understands what the voice says in English', async () => {
  const { text, language, duration, words, segments } = await transcript(wavOf(pcm, spokenRate))
  assert.ok(shareHeard(sentence, text) >= 0.8, text)
  assert.equal(language, 'en')
  const seconds = pcm.length / 2 / spokenRate
  assert.ok(Math.abs((duration ?? 0) - seconds) < 0.002, `${duration} of ${seconds}`)
  assert.deepEqual(segments.map((segment) => segment.text).join(' '), text)
  assert.deepEqual(words.map(({ word }) => word).join(' '), text)
  assertInOrder(words, seconds)
})

test('recordings of every rate are understood, in one channel or two, in floats too', async () => {
  for (const rate of [8_000, 16_000, 24_000, 48_000]) {
    const samples = resampled(pcm, rate)
    const mono = await transcript(wavOf(new Uint8Array(samples.buffer), rate))
    assert.ok(shareHeard(sentence, mono.text) >= 0.8, `${rate}: ${mono.text}`)
  }
  const stereo = await transcript(stereoFloatWav(resampled(pcm, 16_000), 16_000))
  assert.ok(shareHeard(sentence, stereo.text) >= 0.8, stereo.text)
})

test('a recording without speech has no words', async () => {
  const { text, words, segments, duration } = await transcript(wavOf(silence, spokenRate))
  assert.deepEqual({ text, words, segments, duration }, { text: '', words: [], segments: [], duration: 1 })
})

test('a recording that is no WAV, of a strange form or too long is refused with a sentence', async () => {
  const odd = wavOf(pcm, spokenRate)
  odd.writeUInt16LE(8, 34)
  const slow = wavOf(pcm, spokenRate)
  slow.writeUInt32LE(4_000, 24)
  const long = Buffer.concat([wavHeader({ sampleRate: 8_000, dataBytes: 58e6 }), Buffer.alloc(58e6)])
  for (const [bytes, words] of [
    [Buffer.from('ID3 not a wave at all'), 'local speech-to-text takes only WAV recordings'],
    [odd, 'local speech-to-text takes WAV with 16-bit samples or 32-bit floating point'],
    [slow, 'local speech-to-text takes 8000 to 48000 samples a second'],
    [long, 'local speech-to-text takes recordings of at most 60 minutes'],
    [
      wavHeader({ sampleRate: 8_000, dataBytes: 0 }).subarray(0, 36),
      'local speech-to-text found no samples in the WAV file',
    ],
  ] as const) {
    const failure = await failureOf(transcript(bytes))
    assert.equal(failure.kind, 'refused')
    assert.equal(failure.message, words)
  }
})

test('a language other than English is refused with a sentence', async () => {
  const recording = { bytes: wavOf(pcm, spokenRate), mediaType: 'audio/wav' }
  const failure = await failureOf(transcriber({ language: 'pt-BR' }).transcribe(recording, patient()))
  assert.equal(failure.kind, 'refused')
  assert.equal(failure.message, 'local speech-to-text understands only English, not pt-BR')
  const live = transcriber({ language: 'es' }).listen(atPace(pcm, spokenRate), spokenRate, patient())
  assert.equal((await failureOf(Array.fromAsync(live))).kind, 'refused')
  assert.ok((await transcriber({ language: 'en-GB' }).transcribe(recording, patient())).text !== '')
})

test('auto is its only model, and another is refused with a sentence', async () => {
  const recording = { bytes: wavOf(pcm, spokenRate), mediaType: 'audio/wav' }
  assert.ok((await transcriber({ model: 'auto' }).transcribe(recording, patient())).text !== '')
  const { kind, message } = await failureOf(transcriber({ model: 'big' }).transcribe(recording, patient()))
  assert.deepEqual(
    [kind, message],
    ['refused', 'local hears with the model moonshine-tiny only, which is also its auto'],
  )
})

test('speech is transcribed while it is spoken, and finally when it ends', async () => {
  const order: string[] = []
  async function* speaking() {
    yield* atPace(pcm, spokenRate)
    order.push('said')
    while (!order.includes('final')) yield* atPace(silence, spokenRate)
  }
  const heard: Heard[] = []
  for await (const one of transcriber().listen(speaking(), spokenRate, patient())) {
    heard.push(one)
    order.push(one.type)
  }
  assert.equal(order[0], 'ready')
  assert.ok(order.slice(0, order.indexOf('said')).includes('partial'), order.join(' '))
  const [final, ...others] = finals(heard)
  assert.ok(final && others.length === 0)
  assert.ok(shareHeard(sentence, final.text) >= 0.8, final.text)
  assert.ok((final.start ?? 9) < 0.3 && (final.end ?? 0) > 3)
  assertInOrder(final.words ?? [], pcm.length / 2 / spokenRate + 0.5) // Silero hears the last sound a little longer
})

test('what was said is committed when asked for, and when the audio ends', async () => {
  async function* speaking(): AsyncIterable<LiveAudio> {
    yield 'finalize' // nothing to commit, nothing said (SD-77)
    yield pcm.subarray(0, pcm.length)
    yield 'finalize'
    yield silence.subarray(0, 1_001) // ends in the middle of a sample
    yield silence.subarray(0, 1_001)
    yield pcm
  }
  const heard = await Array.fromAsync(transcriber().listen(speaking(), spokenRate, patient()))
  const [first, second, ...others] = finals(heard)
  assert.ok(first && second && others.length === 0, JSON.stringify(heard))
  for (const { text } of [first, second]) assert.ok(shareHeard(sentence, text) >= 0.8, text)
  assert.ok((second.start ?? 0) >= (first.end ?? 9), `${second.start} after ${first.end}`)
})

test('three people at once are each understood', async () => {
  const heard = await Promise.all(
    [1, 2, 3].map(async () => {
      const listening = transcriber().listen(atPace(pcm, spokenRate), spokenRate, patient())
      return finals(await Array.fromAsync(listening))
    }),
  )
  for (const [final] of heard) assert.ok(shareHeard(sentence, final?.text ?? '') >= 0.8, final?.text)
})

test('a short recording is not made to wait for long ones', async () => {
  const cancel = new AbortController()
  const bytes = wavOf(Buffer.concat(Array.from({ length: 8 }, () => [pcm, silence]).flat()), spokenRate)
  let areOver = 0
  const long = [1, 2, 3, 4].map(async () => {
    await transcriber().transcribe({ bytes, mediaType: 'audio/wav' }, cancel.signal)
    areOver += 1
  })
  const short = await transcript(wavOf(pcm, spokenRate))
  assert.ok(shareHeard(sentence, short.text) >= 0.8, short.text)
  assert.equal(areOver, 0)
  cancel.abort()
  await Promise.allSettled(long)
})

test('audio is pulled no faster than it is heard and taken', async () => {
  let pulled = 0
  async function* endless() {
    for (;;) {
      pulled += silence.length
      yield silence
    }
  }
  const cancel = new AbortController()
  const listening = transcriber().listen(endless(), spokenRate, cancel.signal)[Symbol.asyncIterator]()
  await listening.next() // ready, and nothing taken after it
  await until(() => pulled > 256 * 1024, 'the first audio is pulled')
  await transcript(wavOf(pcm, spokenRate))
  assert.ok(pulled < 512 * 1024, `${pulled} bytes pulled without a reader`)
  cancel.abort()
})

test('more streams than the machine can hear are refused, and a cancelled one makes room within a second', async () => {
  const cancels = Array.from({ length: most }, () => new AbortController())
  async function* waiting() {
    await new Promise(() => {})
    yield silence
  }
  const open = async (signal: AbortSignal) => {
    const listening = transcriber().listen(waiting(), 8_000, signal)[Symbol.asyncIterator]()
    assert.equal((await listening.next()).value?.type, 'ready')
  }
  await Promise.all(cancels.map(({ signal }) => open(signal)))
  const failure = await failureOf(open(patient()))
  assert.equal(failure.kind, 'refused')
  assert.match(failure.message, new RegExp(`^local speech-to-text already transcribes ${most} streams, `))
  const startedAt = performance.now()
  cancels[0]?.abort()
  const another = new AbortController()
  await open(another.signal)
  assert.ok(performance.now() - startedAt < 1_000)
  for (const cancel of [...cancels, another]) cancel.abort()
})

test('a caller who stops listening in the middle makes room too', async () => {
  const vendor = vendorIn(fileURLToPath(new URL('..', import.meta.url)))
  assert.ok(vendor)
  const guarded = await vendor.transcriber({ credentials: {} })
  for (let stream = 0; stream <= most; stream += 1)
    for await (const heard of guarded.listen?.(atPace(silence, 8_000), 8_000, patient()) ?? []) {
      assert.equal(heard.type, 'ready')
      break
    }
})

test('a cancel ends a recording within a second, and the source of a stream ends', async () => {
  const cancel = new AbortController()
  const long = wavOf(Buffer.concat(Array.from({ length: 20 }, () => pcm)), spokenRate)
  const hearing = transcriber().transcribe({ bytes: long, mediaType: 'audio/wav' }, cancel.signal)
  let isTold = false
  async function* source() {
    try {
      for (;;) yield* atPace(pcm, spokenRate)
    } finally {
      isTold = true
    }
  }
  const listening = transcriber().listen(source(), spokenRate, cancel.signal)[Symbol.asyncIterator]()
  for (let heard = await listening.next(); heard.value?.type !== 'partial'; heard = await listening.next())
    continue
  const startedAt = performance.now()
  cancel.abort()
  await assert.rejects(hearing, { name: 'AbortError' })
  await assert.rejects(
    async () => {
      for (;;) if ((await listening.next()).done) return
    },
    { name: 'AbortError' },
  )
  await until(() => isTold, 'the source is closed')
  assert.ok(performance.now() - startedAt < 1_000)
})

test('a source that fails rejects the listener with its own words', async () => {
  async function* source() {
    yield silence
    throw new Error('the microphone is gone')
  }
  const listening = Array.fromAsync(transcriber().listen(source(), spokenRate, patient()))
  await assert.rejects(listening, { message: 'the microphone is gone' })
})

test('a killed transcriber fails what it transcribes, and works again for the next request', async () => {
  const listening = transcriber().listen(atPace(Buffer.concat([pcm, pcm]), spokenRate), spokenRate, patient())
  const failure = await failureOf(
    (async () => {
      for await (const heard of listening)
        if (heard.type === 'partial') for (const pid of await ours()) process.kill(pid, 'SIGKILL')
    })(),
  )
  assert.equal(failure.kind, 'silent')
  assert.equal(failure.message, 'local speech-to-text stopped before the answer was complete (SIGKILL)')
  assert.ok(shareHeard(sentence, (await transcript(wavOf(pcm, spokenRate))).text) >= 0.8)
  assert.equal((await ours()).length, 1)
})
