import { inspect } from 'node:util'
import type { VoiceEntry } from '@switchroom/contract/speech'
import { silent, VendorFailure, wordsOf } from './failures.ts'
import { abandon, untilAborted } from './until-aborted.ts'
import { shareTurn } from './turn-sharing.ts'
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

export function guardedVoice(build: () => Voice, credentials: Credentials): Voice {
  const voice = built(build, credentials)
  return {
    sampleRate: voice.sampleRate,
    speak: (text, signal) => guardedStream(credentials, signal, (inner) => voice.speak(text, inner)),
  }
}

export function guardedTranscriber(build: () => Transcriber, credentials: Credentials): Transcriber {
  const transcriber = built(build, credentials)
  const listen = transcriber.listen?.bind(transcriber)
  const transcribe = transcriber.transcribe?.bind(transcriber)
  return {
    ...(listen && {
      listen: (audio, sampleRate, signal) =>
        guardedStream(credentials, signal, (inner) => listen(audio, sampleRate, inner)),
    }),
    ...(transcribe && {
      transcribe: (recording, signal) =>
        guardedAnswer(credentials, signal, (inner) => transcribe(recording, inner)),
    }),
  }
}

export function guardedModel(build: () => Model, credentials: Credentials): Model {
  const model = built(build, credentials)
  return {
    think: (conversation, signal) =>
      guardedStream(credentials, signal, (inner) => model.think(conversation, inner)),
  }
}

export function guardedRealtime(build: () => RealtimeModel, credentials: Credentials): RealtimeModel {
  const model = built(build, credentials)
  return {
    sampleRate: model.sampleRate,
    converse: (asked, signal) =>
      guardedStream(credentials, signal, async function* (inner) {
        for await (const told of model.converse(asked, inner)) yield withoutItsSecrets(told, credentials)
      }),
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
  return guardedAnswer(
    setting.credentials,
    signal,
    async (inner) => (await adapter.voices?.(setting, inner)) ?? [],
  )
}

function built<T>(build: () => T, credentials: Credentials): T {
  try {
    return build()
  } catch (error) {
    throw failureOf(error, credentials)
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

async function guardedAnswer<T>(
  credentials: Credentials,
  signal: AbortSignal,
  start: (inner: AbortSignal) => Promise<T>,
): Promise<T> {
  const stream = guardedStream(credentials, signal, async function* (inner) {
    yield await start(inner)
  })
  for await (const answer of stream) return answer
  throw silent('it ended without an answer')
}

/** The caller's own cancel stays what it is; running out of time is the vendor's silence. */
function failureOf(error: unknown, credentials: Credentials, signal?: AbortSignal): unknown {
  if (signal?.aborted) return isTimeout(signal.reason) ? silent('no answer in time') : signal.reason
  if (error instanceof VendorFailure)
    return new VendorFailure(error.kind, wordsOf(error.message, credentials) || 'it gave no reason')
  return silent(wordsOf(messageOf(error), credentials) || 'it broke off')
}

const isTimeout = (reason: unknown) => reason instanceof DOMException && reason.name === 'TimeoutError'

/** What fetch and sockets throw says little; the cause under it says which connection failed and how. */
function messageOf(error: unknown): string {
  if (typeof error === 'string') return error
  if (!(error instanceof Error)) return inspect(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
