import { addressOf } from '@switchroom/kit/addresses'
import { refused, silent } from '@switchroom/kit/failures'
import { polled } from '@switchroom/kit/polling'
import { formWith, mostTranscriptBytes } from '@switchroom/kit/recordings'
import { ask, jsonOf, textIn } from '@switchroom/kit/requests'
import { speakerNumbers } from '@switchroom/kit/speakers'
import type { Setting, Transcriber, Transcript } from '@switchroom/kit/vendor'
import { accountOf } from './account.ts'
import { languageIn, sharedConfig } from './config.ts'
import { codeOf, tagOf } from './languages.ts'
import { stretchesOf, type Result } from './results.ts'

const cleanUpWithinMs = 3_000

interface Job {
  status?: 'running' | 'done' | 'rejected' | 'deleted' | 'expired'
  errors?: { message?: string }[]
}

export function transcribing(setting: Setting): NonNullable<Transcriber['transcribe']> {
  const { recorded, headers } = accountOf(setting)
  const at = (path: string, query = {}) => addressOf(recorded, `/v2/jobs${path}`, query)
  const read = async (url: URL, signal: AbortSignal) =>
    jsonOf(await ask(url, { headers, signal }), mostTranscriptBytes)

  return async (recording, signal) => {
    const form = formWith('data_file', recording)
    form.set('config', JSON.stringify(jobOf(setting)))
    const begun = await ask(at(''), { headers, body: form, signal })
    const path = `/${encodeURIComponent(textIn(await jsonOf(begun), 'id'))}`
    try {
      await polled(async () => {
        const { job } = (await read(at(path), signal)) as { job?: Job }
        if (job?.status === 'running') return undefined
        if (job?.status !== 'done') throw refused(job?.errors?.at(-1)?.message ?? `its job is ${job?.status}`)
        return job
      }, signal)
      return transcriptOf(await read(at(`${path}/transcript`, { format: 'json-v2' }), signal))
    } finally {
      await cleanUp(at(path, { force: true }))
    }
  }

  /** It keeps what it is given for days; also after a cancel, and nothing is lost if it fails. */
  async function cleanUp(url: URL) {
    const signal = AbortSignal.timeout(cleanUpWithinMs)
    await ask(url, { method: 'DELETE', headers, signal }).then(
      (answer) => answer.body?.cancel(),
      () => {},
    )
  }
}

/** A recording may be too short to be sure of its language: the likeliest is better than none. */
const likeliestLanguage = { language_identification_config: { low_confidence_action: 'allow' } }

function jobOf({ class: built, keywords }: Setting) {
  const language = built === 'batch.STT' ? 'multi' : (languageIn(keywords) ?? 'auto')
  const { language_hints: hints } = keywords
  return {
    type: 'transcription',
    transcription_config: {
      ...sharedConfig(keywords),
      language,
      ...(hints !== undefined && { language_hints: [hints].flat().map(String).map(codeOf) }),
    },
    ...(language === 'auto' && likeliestLanguage),
  }
}

interface Answer {
  job?: { duration?: number }
  metadata?: {
    language_pack_info?: {
      word_delimiter?: string
      /** Of the models of many languages. */
      per_language_word_delimiters?: Record<string, string>
    }
  }
  results?: Result[]
}

function transcriptOf(answer: unknown): Transcript {
  const { job, metadata, results } = answer as Answer
  if (!results) throw silent('it sent no transcript')
  const spoken = results.find(({ alternatives }) => alternatives?.[0]?.language)?.alternatives?.[0]?.language
  const { word_delimiter: only, per_language_word_delimiters: many } = metadata?.language_pack_info ?? {}
  const delimiter = only ?? many?.[spoken ?? ''] ?? ' '
  const sentences = stretchesOf(results, { delimiter, speakerNumber: speakerNumbers() }, 'sentences')
  return {
    text: sentences.map(({ text }) => text).join(delimiter),
    language: tagOf(spoken),
    duration: job?.duration ?? null,
    words: sentences.flatMap(({ words }) => words),
    segments: sentences.map(({ start, end, text, speaker }) => ({
      start,
      end,
      text,
      ...(speaker !== undefined && { speaker }),
    })),
  }
}
