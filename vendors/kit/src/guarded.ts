import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import type { VoiceEntry } from '@switchroom/contract/speech'
import { silent, VendorFailure, wordsOf } from './failures.ts'
import { abandon, untilAborted } from './until-aborted.ts'
import { shareTurn } from './turn-sharing.ts'
import { endingWithUser } from './turns.ts'
import type {
  Adapter,
  Credentials,
  Transcriber,
  Model,
  RealtimeModel,
  RealtimeTold,
  Setting,
  Voice,
} from './vendor.ts'

// Stands between every caller and every adapter: whatever an adapter does, the caller sees a VendorFailure
// without secrets, its own cancel at once, and the connection closed when its reader is gone.

/** A vendor that is too busy is asked again so often, unless it wants to be left alone for longer. */
const usualRetries = 2
const longestWaitMs = 2_000

export function guardedVoice(build: () => Voice, { credentials, retries }: Guarded): Voice {
  const voice = built(build, credentials)
  return {
    sampleRate: voice.sampleRate,
    speak: (text, signal) =>
      patientStream({ credentials, signal, retries }, (inner) => voice.speak(text, inner)),
    ...connecting(voice),
  }
}

export function guardedTranscriber(build: () => Transcriber, { credentials, retries }: Guarded): Transcriber {
  const transcriber = built(build, credentials)
  const listen = transcriber.listen?.bind(transcriber)
  const transcribe = transcriber.transcribe?.bind(transcriber)
  const translate = transcriber.translate?.bind(transcriber)
  return {
    ...(listen && {
      listen(audio, sampleRate, signal) {
        const spoken = new Unread(audio)
        return patientStream({ credentials, signal, retries, canRepeat: () => spoken.isUnread }, (inner) =>
          listen(spoken, sampleRate, inner),
        )
      },
    }),
    ...(transcribe && {
      transcribe(recording, signal, tell) {
        let hasTold = false
        // what was told cannot be taken back
        const telling = (text: string) => {
          hasTold = true
          tell?.(text)
        }
        const patience = { credentials, signal, retries, canRepeat: () => !hasTold }
        return firstOf(
          patientStream(patience, async function* (inner) {
            yield await transcribe(recording, inner, tell && telling)
          }),
        )
      },
    }),
    ...(translate && {
      translate: (recording, signal) =>
        firstOf(
          patientStream({ credentials, signal, retries }, async function* (inner) {
            yield await translate(recording, inner)
          }),
        ),
    }),
  }
}

export function guardedModel(build: () => Model, { credentials, retries }: Guarded): Model {
  const model = built(build, credentials)
  return {
    think(conversation, signal) {
      const asked = endingWithUser(conversation)
      return patientStream({ credentials, signal, retries }, (inner) => model.think(asked, inner))
    },
    ...connecting(model),
  }
}

/** What cannot be connected to fails when it is asked, and says why. */
function connecting(vendor: Pick<Voice | Model, 'connect'>): Pick<Voice | Model, 'connect'> {
  if (!vendor.connect) return {}
  return {
    async connect() {
      try {
        await vendor.connect?.()
      } catch {}
    },
  }
}

export function guardedRealtime(
  build: () => RealtimeModel,
  { credentials, retries }: Guarded,
): RealtimeModel {
  const model = built(build, credentials)
  return {
    sampleRate: model.sampleRate,
    ...(model.inputRate !== undefined && { inputRate: model.inputRate }),
    converse(asked, signal) {
      const unread = new Unread(asked)
      const patience = { credentials, signal, retries, canRepeat: () => unread.isUnread }
      return patientStream(patience, async function* (inner) {
        for await (const told of model.converse(unread, inner)) yield withoutItsSecrets(told, credentials)
      })
    },
  }
}

/** A reply that failed has the vendor's reason, and the conversation continues. */
function withoutItsSecrets(told: RealtimeTold, credentials: Credentials): RealtimeTold {
  if (told.type !== 'replied' || told.failure === null) return told
  return { ...told, failure: wordsOf(told.failure, credentials) || 'it gave no reason' }
}

export function guardedVoices(
  adapter: Adapter,
  setting: Setting,
  signal: AbortSignal,
): Promise<VoiceEntry[]> {
  return firstOf(
    patientStream({ credentials: setting.credentials, signal }, async function* (inner) {
      yield (await adapter.voices?.(setting, inner)) ?? []
    }),
  )
}

interface Guarded {
  credentials: Credentials
  /** How often a vendor that is too busy is asked again. Default: twice. */
  retries?: number | undefined
}

function built<T>(build: () => T, credentials: Credentials): T {
  try {
    return build()
  } catch (error) {
    throw failureOf(error, credentials)
  }
}

interface Patience extends Guarded {
  signal: AbortSignal
  /** Whether the request can be made again. Default: always. */
  canRepeat?: () => boolean
}

/** Starts anew if the vendor is too busy to begin. */
async function* patientStream<T>(
  { credentials, signal, retries = usualRetries, canRepeat = () => true }: Patience,
  start: (inner: AbortSignal) => AsyncIterable<T>,
): AsyncIterable<T> {
  for (let left = retries; ; left -= 1) {
    let hasBegun = false
    try {
      for await (const piece of guardedStream(credentials, signal, start)) {
        hasBegun = true
        yield piece
      }
      return
    } catch (error) {
      const waitMs = error instanceof VendorFailure ? error.retryAfterMs : undefined
      if (hasBegun || left <= 0 || waitMs === undefined || waitMs > longestWaitMs || !canRepeat()) throw error
      await untilAborted(sleep(waitMs), signal).catch((reason: unknown) => {
        throw failureOf(reason, credentials, signal)
      })
    }
  }
}

/** What a caller says can be sent to a vendor once. */
class Unread<T> implements AsyncIterable<T> {
  isUnread = true
  readonly #source: AsyncIterable<T>

  constructor(source: AsyncIterable<T>) {
    this.#source = source
  }

  [Symbol.asyncIterator]() {
    this.isUnread = false
    return this.#source[Symbol.asyncIterator]()
  }
}

async function* guardedStream<T>(
  credentials: Credentials,
  signal: AbortSignal,
  start: (inner: AbortSignal) => AsyncIterable<T>,
): AsyncIterable<T> {
  const letGo = new AbortController()
  const follow = () => letGo.abort(signal.reason)
  let iterator: AsyncIterator<T> | undefined
  signal.addEventListener('abort', follow, { once: true })
  try {
    signal.throwIfAborted()
    iterator = start(letGo.signal)[Symbol.asyncIterator]()
    for (;;) {
      // an adapter that does not notice the cancel is left behind
      const next = await untilAborted(iterator.next(), letGo.signal)
      if (next.done) return
      yield next.value
      await shareTurn()
    }
  } catch (error) {
    throw failureOf(error, credentials, signal)
  } finally {
    signal.removeEventListener('abort', follow)
    letGo.abort() // however it ended, the vendor's connection goes too
    abandon(iterator)
  }
}

async function firstOf<T>(stream: AsyncIterable<T>): Promise<T> {
  for await (const answer of stream) return answer
  throw silent('it ended without an answer')
}

/** The caller's own cancel stays what it is; running out of time is the vendor's silence. */
function failureOf(error: unknown, credentials: Credentials, signal?: AbortSignal): unknown {
  if (signal?.aborted) return isTimeout(signal.reason) ? silent('no answer in time') : signal.reason
  if (error instanceof VendorFailure) {
    const words = wordsOf(error.message, credentials) || 'it gave no reason'
    return new VendorFailure(error.kind, words, error.retryAfterMs, error.status)
  }
  return silent(wordsOf(messageOf(error), credentials) || 'it broke off')
}

const isTimeout = (reason: unknown) => reason instanceof DOMException && reason.name === 'TimeoutError'

/** What fetch and sockets throw says little; the cause under it says which connection failed and how. */
function messageOf(error: unknown): string {
  if (typeof error === 'string') return error
  if (!(error instanceof Error)) return inspect(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
