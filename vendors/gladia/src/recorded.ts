import { addressOf } from '@switchroom/kit/addresses'
import { refused, silent } from '@switchroom/kit/failures'
import { keywordsAmong } from '@switchroom/kit/keywords'
import { polled } from '@switchroom/kit/polling'
import { formWith, mostTranscriptBytes } from '@switchroom/kit/recordings'
import { ask, askJson, jsonOf, textIn } from '@switchroom/kit/requests'
import { speakerNumbers } from '@switchroom/kit/speakers'
import type { Transcriber, Setting, Transcript } from '@switchroom/kit/vendor'
import { wordsOf, type Said } from './utterances.ts'
import { defaultAddress, headersFor, languageWish, vocabularyWish } from './wishes.ts'

interface Job {
  status?: 'queued' | 'processing' | 'done' | 'error'
  /** An HTTP status. */
  error_code?: number | null
  result?: {
    metadata?: { audio_duration?: number }
    transcription?: { full_transcript?: string; languages?: string[]; utterances?: Said[] }
  } | null
}

export function transcribing(setting: Setting): NonNullable<Transcriber['transcribe']> {
  const { keywords } = setting
  const headers = headersFor(setting)
  const at = (path: string) => addressOf(keywords['base_url'] ?? defaultAddress, `/v2${path}`)
  return async (recording, signal) => {
    const uploaded = await ask(at('/upload'), { headers, body: formWith('audio', recording), signal })
    const wishes = {
      ...keywordsAmong(keywords, ['model', 'diarization']),
      ...languageWish(keywords),
      ...vocabularyWish(keywords),
      audio_url: textIn(await jsonOf(uploaded), 'audio_url'),
    }
    const begun = await askJson(at('/pre-recorded'), wishes, { headers, signal })
    const path = `/pre-recorded/${encodeURIComponent(textIn(await jsonOf(begun), 'id'))}`
    return polled(async () => {
      const job = (await jsonOf(await ask(at(path), { headers, signal }), mostTranscriptBytes)) as Job
      if (job.status === 'queued' || job.status === 'processing') return undefined
      if (job.status !== 'done') throw failureOf(job)
      return transcriptOf(job)
    }, signal)
  }
}

function failureOf({ error_code: code }: Job) {
  const words = `it could not transcribe this: error code ${code}`
  return code && code >= 500 ? silent(words) : refused(words)
}

function transcriptOf({ result }: Job): Transcript {
  const { full_transcript: text, languages, utterances = [] } = result?.transcription ?? {}
  if (text === undefined) throw silent('it sent no transcript')
  const speakerNumber = speakerNumbers()
  return {
    text: text.trim(),
    language: languages?.[0] ?? null,
    duration: result?.metadata?.audio_duration ?? null,
    words: utterances.flatMap((said) => wordsOf(said, speakerNumber)),
    segments: utterances.map(({ start, end, text: words, speaker }) => ({
      start,
      end,
      text: words.trim(),
      ...(speaker !== undefined && { speaker: speakerNumber(speaker) }),
    })),
  }
}
