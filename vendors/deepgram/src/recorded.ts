import { addressOf } from '@switchroom/kit/addresses'
import { silent } from '@switchroom/kit/failures'
import { primaryTag } from '@switchroom/kit/languages'
import { ask, jsonOf } from '@switchroom/kit/requests'
import type { Transcriber, Setting, Transcript } from '@switchroom/kit/vendor'
import { accountOf } from './account.ts'
import { listenParameters } from './parameters.ts'
import { speakerOf, wordReader, type Word } from './words.ts'

const mostTranscriptBytes = 16 * 1024 * 1024

export function transcribe(setting: Setting): NonNullable<Transcriber['transcribe']> {
  const { base, headers, asked } = accountOf(setting)
  const { endpointing: _onlyLive, ...keywords } = asked
  const language = keywords['language'] as string | undefined
  const query = {
    smart_format: true,
    utterances: true,
    detect_language: language === undefined ? true : undefined,
    ...listenParameters(keywords),
  }
  return async ({ bytes, mediaType }, signal) => {
    const answer = await ask(addressOf(base, '/v1/listen', query), {
      headers: { ...headers, 'content-type': mediaType },
      body: Buffer.from(bytes),
      signal,
    })
    return transcriptOf((await jsonOf(answer, mostTranscriptBytes)) as Answer, language)
  }
}

interface Answer {
  metadata?: { duration?: number }
  results?: {
    channels?: { detected_language?: string; alternatives?: { transcript?: string; words?: Word[] }[] }[]
    utterances?: { start: number; end: number; transcript: string; words?: Word[] }[]
  }
}

function transcriptOf({ metadata, results }: Answer, language: string | undefined): Transcript {
  const [channel] = results?.channels ?? []
  const [best] = channel?.alternatives ?? []
  if (typeof best?.transcript !== 'string') throw silent('it sent no transcript')
  const wordsOf = wordReader()
  const spoken = channel?.detected_language ?? language
  return {
    text: best.transcript,
    language: spoken === undefined ? null : primaryTag(spoken),
    duration: metadata?.duration ?? null,
    words: wordsOf(best.words),
    segments: (results?.utterances ?? []).map(({ start, end, transcript, words }) => ({
      start,
      end,
      text: transcript,
      ...speakerOf(wordsOf(words)),
    })),
  }
}
