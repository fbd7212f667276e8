import { addressOf } from '@switchroom/kit/addresses'
import { primaryTag } from '@switchroom/kit/languages'
import { formWith } from '@switchroom/kit/recordings'
import { ask, jsonOf, textIn } from '@switchroom/kit/requests'
import { speakerNumbers } from '@switchroom/kit/speakers'
import type { Transcriber, HeardWord, Setting, Transcript } from '@switchroom/kit/vendor'
import { accountOf } from './account.ts'
import { termsWithin, twoLettersOf, wordOf, type Token } from './words.ts'

const mostTranscriptBytes = 16 * 1024 * 1024
const mostTerms = 1_000
const longestTerm = 49

export function transcribe(setting: Setting): NonNullable<Transcriber['transcribe']> {
  const { base, headers, asked } = accountOf(setting)
  const { language_code: language, keyterms, enable_logging, ...rest } = asked
  const address = addressOf(base, '/v1/speech-to-text', { enable_logging })
  return async (recording, signal) => {
    const form = formWith('file', recording)
    for (const [name, value] of Object.entries(rest)) form.set(name, String(value))
    if (language !== undefined) form.set('language_code', primaryTag(language as string))
    for (const term of termsWithin(keyterms, mostTerms, longestTerm)) form.append('keyterms', term)
    const answer = await ask(address, { headers, body: form, signal })
    return transcriptOf((await jsonOf(answer, mostTranscriptBytes)) as Answer)
  }
}

interface Answer {
  language_code?: string | null
  audio_duration_secs?: number | null
  words?: Token[]
}

function transcriptOf(answer: Answer): Transcript {
  const speakerNumber = speakerNumbers()
  const words: HeardWord[] = []
  const segments: Transcript['segments'] = []
  for (const token of answer.words ?? []) {
    const word = wordOf(token)
    const speaker = token.speaker_id ? speakerNumber(token.speaker_id) : undefined
    if (word) words.push(speaker === undefined ? word : { ...word, speaker })
    const said = segments.at(-1)
    if (speaker === undefined) continue
    if (said?.speaker === speaker) {
      said.text += token.text ?? ''
      said.end = word?.end ?? said.end
    } else if (word) segments.push({ start: word.start, end: word.end, text: word.word, speaker })
  }
  return {
    text: textIn(answer, 'text').trim(),
    language: twoLettersOf(answer.language_code),
    duration: answer.audio_duration_secs ?? null,
    words,
    segments: segments.map((said) => ({ ...said, text: said.text.trim() })),
  }
}
