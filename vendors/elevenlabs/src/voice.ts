import { addressOf } from '@switchroom/kit/addresses'
import { refused } from '@switchroom/kit/failures'
import { connectAhead } from '@switchroom/kit/kept-connections'
import { primaryTag } from '@switchroom/kit/languages'
import { askJson, spokenWords } from '@switchroom/kit/requests'
import { eventOf, linesOf } from '@switchroom/kit/server-events'
import { timedSpeech, type SpeechPiece } from '@switchroom/kit/timed-speech'
import type { Setting, Voice } from '@switchroom/kit/vendor'
import type { Mark } from '@switchroom/kit/word-times'
import { accountOf } from './account.ts'

/** George, who comes with every account. */
const firstVoice = 'JBFqnCBsd6RMkjVDRZzb'
/** The vendor refuses a language for models that detect it. */
const findsLanguage = 'eleven_multilingual_v2'

export function voice(setting: Setting): Voice {
  const { base, headers, asked } = accountOf(setting)
  const { voice_id: id = firstVoice, sample_rate: sampleRate = 24_000, enable_logging, ...rest } = asked
  const path = `/v1/text-to-speech/${encodeURIComponent(String(id))}/stream/with-timestamps`
  return {
    sampleRate: Number(sampleRate),
    connect: () => connectAhead(addressOf(base, '')),
    async *speak(text, signal) {
      const url = addressOf(base, path, { output_format: `pcm_${Number(sampleRate)}`, enable_logging })
      const answer = await askJson(url, { text, ...bodyOf(rest) }, { headers, signal })
      yield* timedSpeech(text, spokenIn(answer))
    },
  }
}

function bodyOf({ language_code: language, ...keywords }: Setting['keywords']) {
  const { stability, similarity_boost, style, use_speaker_boost, speed, ...rest } = keywords
  const settings = { stability, similarity_boost, style, use_speaker_boost, speed }
  const isTaken = language !== undefined && rest['model_id'] !== findsLanguage
  return {
    ...rest,
    language_code: isTaken ? primaryTag(language as string) : undefined,
    voice_settings: Object.values(settings).some((value) => value !== undefined) ? settings : undefined,
  }
}

interface Chunk {
  audio_base64?: string
  /** Of the text as it was sent, character by character, from the start of the sound. */
  alignment?: {
    characters: string[]
    character_start_times_seconds: number[]
    character_end_times_seconds: number[]
  } | null
}

async function* spokenIn(answer: Response): AsyncIterable<SpeechPiece> {
  for await (const line of linesOf(answer)) {
    if (line === '') continue
    const { audio_base64: audio, alignment } = eventOf(line) as Chunk
    if (audio === undefined) throw refused(spokenWords(line))
    yield { audio, marks: alignment ? marksIn(alignment) : [] }
  }
}

function marksIn(alignment: NonNullable<Chunk['alignment']>): Mark[] {
  const { character_start_times_seconds: starts, character_end_times_seconds: ends } = alignment
  return alignment.characters.map((text, at) => ({ text, start: starts[at] ?? 0, end: ends[at] ?? 0 }))
}
