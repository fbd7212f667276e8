import { plainAnswer, verboseAnswer, type Transcribed } from './answers.ts'
import type { Asked } from './fields.ts'
import { srtOf, vttOf } from './subtitles.ts'

const languageNames = new Intl.DisplayNames(['en'], { type: 'language' })
const plainText = 'text/plain; charset=utf-8'

export type Answer = { type: string; text: string } | { type: undefined; body: object }

/** What was heard, in the form that was asked for. */
export function answerOf(heard: Transcribed, { responseFormat, isOpenAi, granularities }: Asked): Answer {
  const { text } = heard.transcript
  if (responseFormat === 'text') return { type: plainText, text }
  if (responseFormat === 'srt') return { type: plainText, text: srtOf(heard) }
  if (responseFormat === 'vtt') return { type: 'text/vtt; charset=utf-8', text: vttOf(heard) }
  if (!isOpenAi)
    return { type: undefined, body: responseFormat === 'json' ? plainAnswer(heard) : verboseAnswer(heard) }
  const usage = usageOf(heard)
  if (responseFormat === 'json') return { type: undefined, body: { ...plainAnswer(heard), usage } }
  const { words, segments, ...verbose } = verboseAnswer(heard)
  return {
    type: undefined,
    body: {
      task: heard.isTranslated ? 'translate' : 'transcribe',
      ...verbose,
      language: nameOf(verbose.language),
      ...(granularities.includes('word') && { words }),
      ...(granularities.includes('segment') && {
        segments: segments.map((segment) => ({ ...segment, ...notMeasured })),
      }),
      usage,
    },
  }
}

export const usageOf = ({ seconds }: Transcribed) => ({ type: 'duration', seconds: Math.ceil(seconds) })

/** Fields that the clients' types require and that describe the insides of one model: of no doubt and no weight. */
const notMeasured = {
  seek: 0,
  tokens: [],
  temperature: 0,
  avg_logprob: 0,
  compression_ratio: 1,
  no_speech_prob: 0,
}

/** `english`, as OpenAI writes languages. */
const nameOf = (language: string | null) =>
  language === null ? '' : (languageNames.of(language) ?? language).toLowerCase()
