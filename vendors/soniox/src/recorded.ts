import { addressOf } from '@switchroom/kit/addresses'
import { refused } from '@switchroom/kit/failures'
import { polled } from '@switchroom/kit/polling'
import { formWith, mostTranscriptBytes } from '@switchroom/kit/recordings'
import { ask, askJson, jsonOf, textIn } from '@switchroom/kit/requests'
import { speakerNumbers } from '@switchroom/kit/speakers'
import type { Transcriber, Setting, Transcript } from '@switchroom/kit/vendor'
import { recordedModel } from './models.ts'
import { languageOf, utterancesOf, type Token } from './tokens.ts'
import { hostOf, wishesOf } from './wishes.ts'

const cleanUpWithinMs = 3_000

interface Job {
  status?: 'queued' | 'processing' | 'completed' | 'error' | 'failed'
  error_message?: string | null
  audio_duration_ms?: number | null
}

export function transcribing({ keywords, credentials }: Setting): NonNullable<Transcriber['transcribe']> {
  const headers = { authorization: `Bearer ${credentials['api_key']}` }
  const at = (path: string) => addressOf(hostOf(keywords, 'api'), `/v1${path}`)
  const read = async (path: string, signal: AbortSignal) =>
    jsonOf(await ask(at(path), { headers, signal }), mostTranscriptBytes)

  return async (recording, signal) => {
    const made: string[] = []
    const remember = (path: string) => {
      made.unshift(path)
      return path
    }
    try {
      const uploaded = await ask(at('/files'), { headers, body: formWith('file', recording), signal })
      const file = textIn(await jsonOf(uploaded), 'id')
      remember(`/files/${encodeURIComponent(file)}`)
      const model = recordedModel(String(keywords['model']))
      const wishes = { ...wishesOf(keywords), model, file_id: file }
      const begun = await askJson(at('/transcriptions'), wishes, { headers, signal })
      const path = remember(`/transcriptions/${encodeURIComponent(textIn(await jsonOf(begun), 'id'))}`)
      const done = await polled(async () => {
        const job = (await read(path, signal)) as Job
        if (job.status === 'queued' || job.status === 'processing') return undefined
        if (job.status !== 'completed') throw refused(job.error_message ?? `its status is ${job.status}`)
        return job
      }, signal)
      return transcriptOf(await read(`${path}/transcript`, signal), done)
    } finally {
      await cleanUp(made)
    }
  }

  /** It keeps what it is given until asked to delete it; also after a cancel, and nothing is lost if it fails. */
  async function cleanUp(paths: readonly string[]) {
    const signal = AbortSignal.timeout(cleanUpWithinMs)
    for (const path of paths)
      await ask(at(path), { method: 'DELETE', headers, signal }).then(
        (answer) => answer.body?.cancel(),
        () => {},
      )
  }
}

function transcriptOf(answer: unknown, { audio_duration_ms: durationMs }: Job): Transcript {
  const { tokens = [] } = answer as { tokens?: Token[] }
  const utterances = utterancesOf(tokens, speakerNumbers())
  return {
    text: textIn(answer, 'text').trim(),
    language: languageOf(tokens),
    duration: durationMs === undefined || durationMs === null ? null : durationMs / 1_000,
    words: utterances.flatMap(({ words = [] }) => words),
    segments: utterances.map(({ text, start = 0, end = 0, speaker }) => ({
      start,
      end,
      text,
      ...(speaker !== undefined && { speaker }),
    })),
  }
}
