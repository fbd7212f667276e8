import { addressOf } from '@switchroom/kit/addresses'
import { silent } from '@switchroom/kit/failures'
import { textOf } from '@switchroom/kit/keywords'
import { primaryTag } from '@switchroom/kit/languages'
import { formWith, mostTranscriptBytes } from '@switchroom/kit/recordings'
import { ask, jsonOf } from '@switchroom/kit/requests'
import { speakerNumbers } from '@switchroom/kit/speakers'
import type { HeardWord, Setting, Transcriber, Transcript } from '@switchroom/kit/vendor'
import { accountOf } from './account.ts'
import { localeIn, phrasesIn } from './context.ts'

/** Of its fast transcription, which answers at once. */
const version = '2025-10-15'
/** It must be told how many to expect at most. */
const mostSpeakers = 10

export function transcribing(setting: Setting): NonNullable<Transcriber['transcribe']> {
  const { base, headers, asked } = accountOf(setting, 'recorded')
  const url = addressOf(base, '/speechtotext/transcriptions:transcribe', { 'api-version': version })
  const definition = JSON.stringify(definitionOf(asked))
  return async (recording, signal) => {
    const form = formWith('audio', recording)
    form.set('definition', definition)
    const answer = await ask(url, { headers, body: form, signal })
    return transcriptOf((await jsonOf(answer, mostTranscriptBytes)) as Answer)
  }
}

/** Without a locale it finds the language. */
function definitionOf(asked: Setting['keywords']) {
  const locale = localeIn(asked)
  const phrases = phrasesIn(asked)
  const { diarization, max_speakers: maxSpeakers = mostSpeakers } = asked
  const profanity = textOf(asked['profanity'])
  return {
    ...(locale !== undefined && { locales: [locale] }),
    ...(phrases.length > 0 && { phraseList: { phrases } }),
    ...(profanity !== undefined && { profanityFilterMode: filterOf(profanity) }),
    ...(diarization === true && { diarization: { enabled: true, maxSpeakers } }),
  }
}

/** Streams call the same by another name. */
const filterOf = (profanity: string) => {
  const modes: Record<string, string> = { raw: 'None', masked: 'Masked', removed: 'Removed' }
  return modes[profanity.toLowerCase()] ?? profanity
}

interface Timed {
  text: string
  offsetMilliseconds: number
  durationMilliseconds: number
}

interface Answer {
  durationMilliseconds?: number
  combinedPhrases?: { text?: string }[]
  phrases?: (Timed & { words?: Timed[]; locale?: string; speaker?: number })[]
}

function transcriptOf({ durationMilliseconds: duration, combinedPhrases, phrases = [] }: Answer): Transcript {
  if (!combinedPhrases) throw silent('it sent no transcript')
  const speakerNumber = speakerNumbers()
  const said = phrases.map(({ speaker, ...phrase }) => ({
    ...phrase,
    by: speaker === undefined ? {} : { speaker: speakerNumber(speaker) },
  }))
  const locale = phrases.find((phrase) => phrase.locale)?.locale
  return {
    text: combinedPhrases.map(({ text = '' }) => text).join(' '),
    language: locale === undefined ? null : primaryTag(locale),
    duration: duration === undefined ? null : duration / 1_000,
    words: said.flatMap(({ words = [], by }) =>
      words.map((word): HeardWord => ({ word: word.text, ...timesOf(word), ...by })),
    ),
    segments: said.map((phrase) => ({ ...timesOf(phrase), text: phrase.text, ...phrase.by })),
  }
}

const timesOf = ({ offsetMilliseconds: from, durationMilliseconds: long }: Timed) => ({
  start: from / 1_000,
  end: (from + long) / 1_000,
})
