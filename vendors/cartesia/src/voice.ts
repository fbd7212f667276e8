import { addressOf } from '@switchroom/kit/addresses'
import { refused, silent } from '@switchroom/kit/failures'
import { connectAhead } from '@switchroom/kit/kept-connections'
import { primaryTag } from '@switchroom/kit/languages'
import { askJson, spokenWords } from '@switchroom/kit/requests'
import { eventOf, serverEvents } from '@switchroom/kit/server-events'
import { timedSpeech, type SpeechPiece } from '@switchroom/kit/timed-speech'
import type { Setting, Voice } from '@switchroom/kit/vendor'
import type { Mark } from '@switchroom/kit/word-times'
import { accountOf } from './account.ts'

/** Katie, which it recommends for agents. */
const firstVoice = 'f786b574-daa5-4673-aa0c-cbe3e8534c02'

export function voice(setting: Setting): Voice {
  const { base, headers, asked } = accountOf(setting)
  const { voice: id = firstVoice, sample_rate: sampleRate = 24_000, language, ...keywords } = asked
  const { speed, volume, emotion, ...rest } = keywords
  const manner = { speed, volume, emotion }
  const body = {
    ...rest,
    voice: { id },
    language: language === undefined ? undefined : primaryTag(language as string),
    output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: sampleRate },
    generation_config: Object.values(manner).some((value) => value !== undefined) ? manner : undefined,
    add_timestamps: true,
  }
  return {
    sampleRate: Number(sampleRate),
    connect: () => connectAhead(addressOf(base, '')),
    async *speak(text, signal) {
      const url = addressOf(base, '/tts/sse')
      const answer = await askJson(url, { ...body, transcript: text }, { headers, signal })
      yield* timedSpeech(text, spokenIn(answer))
    },
  }
}

interface Event {
  type?: string
  /** Of an event `chunk`: base64. */
  data?: string
  word_timestamps?: { words: string[]; start: number[]; end: number[] } | null
  status_code?: number
}

async function* spokenIn(answer: Response): AsyncIterable<SpeechPiece> {
  for await (const data of serverEvents(answer)) {
    const event = eventOf(data) as Event
    if (event.type === 'done') return
    if (event.type === 'error') throw failureIn(event, spokenWords(data))
    if (event.type === 'chunk') yield { audio: event.data }
    if (event.type === 'timestamps' && event.word_timestamps) yield { marks: marksIn(event.word_timestamps) }
  }
  throw silent('it broke off in the middle of its answer')
}

const failureIn = ({ status_code: status = 500 }: Event, words: string) =>
  status < 500 ? refused(words) : silent(words)

function marksIn({ words, start: starts, end: ends }: NonNullable<Event['word_timestamps']>): Mark[] {
  return words.map((text, at) => ({ text, start: starts[at] ?? 0, end: ends[at] ?? 0 }))
}
