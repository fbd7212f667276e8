import { addressOf } from '@switchroom/kit/addresses'
import { refused } from '@switchroom/kit/failures'
import { keywordsAmong } from '@switchroom/kit/keywords'
import { primaryTag } from '@switchroom/kit/languages'
import { polled } from '@switchroom/kit/polling'
import { mostTranscriptBytes } from '@switchroom/kit/recordings'
import { ask, askJson, jsonOf, textIn } from '@switchroom/kit/requests'
import { speakerNumbers } from '@switchroom/kit/speakers'
import type { Transcriber, Setting, Transcript } from '@switchroom/kit/vendor'
import { hostOf } from './hosts.ts'
import { recordedModels } from './models.ts'

/** Passed on under their own names. */
const plainParameters = [
  'speaker_labels',
  'speakers_expected',
  'filter_profanity',
  'punctuate',
  'format_text',
  'disfluencies',
  'domain',
]

const mostTerms = 200

export function transcribing({ keywords, credentials }: Setting): NonNullable<Transcriber['transcribe']> {
  const base = hostOf(keywords, 'api')
  const headers = { authorization: String(credentials['api_key']) }
  return async ({ bytes }, signal) => {
    const uploaded = await ask(addressOf(base, '/v2/upload'), {
      headers: { ...headers, 'content-type': 'application/octet-stream' },
      body: Buffer.from(bytes),
      signal,
    })
    const body = { ...wishesOf(keywords), audio_url: textIn(await jsonOf(uploaded), 'upload_url') }
    const begun = await askJson(addressOf(base, '/v2/transcript'), body, { headers, signal })
    const id = textIn(await jsonOf(begun), 'id')
    return polled(async () => {
      const answer = await ask(addressOf(base, `/v2/transcript/${encodeURIComponent(id)}`), {
        headers,
        signal,
      })
      const job = (await jsonOf(answer, mostTranscriptBytes)) as Job
      if (job.status === 'queued' || job.status === 'processing') return undefined
      if (job.status !== 'completed') throw refused(job.error ?? `its status is ${job.status}`)
      return transcriptOf(job)
    }, signal)
  }
}

function wishesOf(keywords: Setting['keywords']): object {
  const language = keywords['language_code'] as string | undefined
  const terms = (keywords['keyterms_prompt'] ?? []) as string[]
  return {
    ...keywordsAmong(keywords, plainParameters),
    speech_models: recordedModels(String(keywords['speech_model'])),
    ...(language === undefined ? { language_detection: true } : { language_code: primaryTag(language) }),
    ...(terms.length > 0 && { keyterms_prompt: terms.slice(0, mostTerms) }),
  }
}

interface Job {
  status?: 'queued' | 'processing' | 'completed' | 'error'
  error?: string
  text?: string | null
  language_code?: string | null
  audio_duration?: number | null
  words?: Spoken[] | null
  /** Of recordings whose speakers were distinguished. */
  utterances?: Spoken[] | null
}

interface Spoken {
  text: string
  /** Milliseconds. */
  start: number
  end: number
  speaker?: string | null
}

function transcriptOf({ text, language_code, audio_duration, words, utterances }: Job): Transcript {
  const speakerNumber = speakerNumbers()
  const timesOf = ({ start, end, speaker }: Spoken) => ({
    start: start / 1_000,
    end: end / 1_000,
    ...(typeof speaker === 'string' && { speaker: speakerNumber(speaker) }),
  })
  return {
    text: text ?? '',
    language: language_code ? primaryTag(language_code.replace('_', '-')) : null,
    duration: audio_duration ?? null,
    words: (words ?? []).map((word) => ({ word: word.text, ...timesOf(word) })),
    segments: (utterances ?? []).map((said) => ({ text: said.text, ...timesOf(said) })),
  }
}
