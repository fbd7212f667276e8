import { socketAddressOf } from '@switchroom/kit/addresses'
import { refused, silent, type VendorFailure } from '@switchroom/kit/failures'
import { brokenOff, listenLive, type LiveWire } from '@switchroom/kit/live-transcription'
import { spokenWords } from '@switchroom/kit/requests'
import { eventOf } from '@switchroom/kit/server-events'
import { openSocket } from '@switchroom/kit/sockets'
import type { Transcriber, Heard, Setting } from '@switchroom/kit/vendor'
import { accountOf } from './account.ts'
import { findsLanguage, listenParameters } from './parameters.ts'
import { speakerOf, wordReader, type Word } from './words.ts'

/** It closes after ten seconds without a frame. */
const keepAliveMs = 4_000
const violatedPolicy = 1008
/** A close without a code, too, is a goodbye; a socket that breaks has another. */
const goodbyes = new Set([1000, 1005])

export function listen(setting: Setting): NonNullable<Transcriber['listen']> {
  return (audio, sampleRate, signal) => listenLive(wireOf(setting, sampleRate), audio, sampleRate, signal)
}

function wireOf(setting: Setting, sampleRate: number): LiveWire {
  const { base, headers, asked } = accountOf(setting)
  const query = {
    interim_results: true,
    punctuate: true,
    language: findsLanguage(asked['model']) ? 'multi' : undefined,
    ...listenParameters(asked),
    encoding: 'linear16',
    sample_rate: sampleRate,
    channels: 1,
  }
  const wordsOf = wordReader()
  let isOver = false
  return {
    open: (signal) => openSocket(socketAddressOf(base, '/v1/listen', query), headers, signal),
    isReadyOnceOpen: true,
    audio: (pcm) => pcm,
    finalize: () => JSON.stringify({ type: 'Finalize' }),
    end() {
      isOver = true
      return JSON.stringify({ type: 'CloseStream' })
    },
    keepAlive: { everyMs: keepAliveMs, frame: () => JSON.stringify({ type: 'KeepAlive' }) },
    *hear(frame) {
      const message = eventOf(String(frame)) as Message
      if (message.type === 'Error') throw refused(message.description ?? spokenWords(String(frame)))
      if (message.type === 'Results') yield* heardIn(message, wordsOf)
      if (message.type === 'Metadata' && isOver) yield 'finished'
    },
    closed: (closing) => failureOf(closing, isOver),
  }
}

interface Message {
  type?: 'Results' | 'Metadata' | 'Error'
  description?: string
  is_final?: boolean
  start?: number
  duration?: number
  channel?: { alternatives?: { transcript?: string; languages?: string[]; words?: Word[] }[] }
}

function* heardIn(message: Message, wordsOf: ReturnType<typeof wordReader>): Iterable<Heard> {
  const [best] = message.channel?.alternatives ?? []
  if (!best?.transcript) return
  if (!message.is_final) {
    yield { type: 'partial', text: best.transcript }
    return
  }
  const words = wordsOf(best.words)
  const start = words[0]?.start ?? message.start ?? 0
  const language = best.languages?.[0]
  yield {
    type: 'final',
    text: best.transcript,
    start,
    end: words.at(-1)?.end ?? start + (message.duration ?? 0),
    ...(language !== undefined && { language }),
    ...speakerOf(words),
    words,
  }
}

/** What its close means, once it was notified that no more audio comes and before. */
export function failureOf(closing: { code: number; reason: string }, isOver: boolean): VendorFailure | null {
  if (isOver && goodbyes.has(closing.code)) return null
  return closing.code === violatedPolicy
    ? refused(closing.reason || brokenOff(closing))
    : silent(brokenOff(closing))
}
