import { silent } from '@switchroom/kit/failures'
import { shareTurn } from '@switchroom/kit/turn-sharing'
import type { Spoken, Voice } from '@switchroom/kit/vendor'
import { PcmResampler } from '@switchroom/audio/pcm'
import type { AskedSpeech } from './speech-request.ts'

const bytesPerSample = 2
/** Small, so that no piece keeps the event loop and words find their place between them. */
const pieceMs = 100
/** Slower than any speech. */
const secondsPerCharacter = 1
const secondsOfSilence = 10

export interface PieceLimits {
  /** To the first sound, and between one piece and the next. */
  silenceMs: number
  gone: AbortSignal
}

/** What a voice says, at the rate that was asked for, in small pieces. */
export async function* voicePieces(
  voice: Voice,
  { input, characters, sampleRate, speed }: AskedSpeech,
  limits: PieceLimits,
): AsyncIterable<Spoken> {
  const resampler = new PcmResampler(voice.sampleRate, sampleRate)
  const longestSeconds = secondsOfSilence + (secondsPerCharacter * characters) / Math.min(speed, 1)
  let restBytes = longestSeconds * voice.sampleRate * bytesPerSample
  const pieceBytes = Math.round((voice.sampleRate * pieceMs) / 1_000) * bytesPerSample
  for await (const spoken of withinSilence(voice, input, limits)) {
    if (spoken.type === 'word') {
      yield spoken
      continue
    }
    restBytes -= spoken.pcm.length
    if (restBytes < 0) throw silent('it did not stop talking')
    for (const piece of alike(spoken.pcm, pieceBytes)) {
      const pcm = resampler.take(piece)
      if (pcm.length > 0) yield { type: 'audio', pcm }
      await shareTurn()
    }
  }
  const rest = resampler.end()
  if (rest.length > 0) yield { type: 'audio', pcm: rest }
}

/** Pieces of about this size, and none that is much smaller than the others. */
function* alike(pcm: Uint8Array, aboutBytes: number): Iterable<Uint8Array> {
  const count = Math.max(1, Math.round(pcm.length / aboutBytes))
  const bytes = Math.ceil(pcm.length / count / bytesPerSample) * bytesPerSample
  for (let at = 0; at < pcm.length; at += bytes) yield pcm.subarray(at, at + bytes)
}

/** Counts only while the vendor is waited for: a listener who takes their time is none of its silence. */
async function* withinSilence(
  voice: Voice,
  input: string,
  { silenceMs, gone }: PieceLimits,
): AsyncIterable<Spoken> {
  const tooLong = new AbortController()
  const spoken = voice.speak(input, AbortSignal.any([gone, tooLong.signal]))[Symbol.asyncIterator]()
  let hasSound = false
  const waiting = new Waiting(silenceMs, () => tooLong.abort(new DOMException('', 'TimeoutError')))
  try {
    for (;;) {
      waiting.begin()
      const next = await spoken.next()
      waiting.pause()
      if (next.done) break
      if (next.value.type === 'audio' && next.value.pcm.length > 0) {
        hasSound = true
        waiting.forget()
      }
      yield next.value
    }
    if (!hasSound) throw silent('it said nothing')
  } finally {
    waiting.pause()
    await spoken.return?.()
  }
}

/** A time limit that pauses while the vendor is not waited for. */
class Waiting {
  readonly #limitMs: number
  readonly #over: () => void
  #spentMs = 0
  #since = 0
  #timer: NodeJS.Timeout | undefined

  constructor(limitMs: number, over: () => void) {
    this.#limitMs = limitMs
    this.#over = over
  }

  begin() {
    this.#since = performance.now()
    this.#timer = setTimeout(this.#over, Math.max(0, this.#limitMs - this.#spentMs))
  }

  pause() {
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#spentMs += performance.now() - this.#since
  }

  forget() {
    this.#spentMs = 0
  }
}
