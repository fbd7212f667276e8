import { refused } from '@switchroom/kit/failures'
import { textOf } from '@switchroom/kit/keywords'
import type { Setting } from '@switchroom/kit/vendor'
import { localeOf } from './locales.ts'

/** It takes no longer list of phrases. */
export const mostPhrases = 500
const usualLocale = 'en-US'
const modes: Record<string, string> = { conversation: 'Conversation', dictation: 'Dictation' }

export const phrasesIn = ({ phrases }: Setting['keywords']): string[] =>
  [phrases ?? []].flat().map(String).slice(0, mostPhrases)

export function localeIn(keywords: Setting['keywords']): string | undefined {
  const language = textOf(keywords['language'])
  return language === undefined ? undefined : localeOf(language)
}

/** Where a stream is heard, and what it asks for in the address. */
export function recognitionOf(keywords: Setting['keywords']) {
  const { model = 'conversation', endpoint_id, profanity, segmentation_silence_ms: silenceMs } = keywords
  if (!modes[String(model)])
    throw refused(`azure has no speech-to-text model "${String(model)}": use conversation or dictation`)
  return {
    path: `/speech/recognition/${String(model)}/cognitiveservices/v1`,
    query: {
      ...(endpoint_id === undefined ? { language: localeIn(keywords) ?? usualLocale } : { cid: endpoint_id }),
      format: 'detailed',
      wordLevelTimestamps: true,
      profanity,
      segmentationSilenceTimeoutMs: silenceMs,
    },
  }
}

/** What a turn asks for: it is sent again with each. */
export function contextOf(keywords: Setting['keywords'], speakers: { session: string; offsetMs: number }) {
  const { model = 'conversation', diarization } = keywords
  const profanity = textOf(keywords['profanity'])
  const phrases = phrasesIn(keywords)
  const segmentation = segmentationOf(keywords)
  return {
    phraseDetection: {
      language: localeIn(keywords) ?? usualLocale,
      mode: modes[String(model)],
      ...(segmentation && { [String(model)]: { segmentation } }),
      ...(profanity !== undefined && { enrichment: { profanity: capitalized(profanity) } }),
      ...(diarization === true && {
        speakerDiarization: {
          mode: 'Anonymous',
          audioSessionId: speakers.session,
          audioOffsetMs: speakers.offsetMs,
          diarizeIntermediates: false,
        },
      }),
    },
    phraseOutput: { format: 'Detailed', detailed: { options: ['WordTimings'] } },
    ...(phrases.length > 0 && {
      dgi: { groups: [{ type: 'Generic', items: phrases.map((text) => ({ text })) }], bias: 1 },
    }),
  }
}

/** Silence of a length that was asked for ends a phrase, or its meaning does. */
function segmentationOf({
  segmentation_silence_ms: silenceMs,
  segmentation_strategy: strategy,
}: Setting['keywords']) {
  if (silenceMs !== undefined) return { mode: 'Custom', segmentationSilenceTimeoutMs: Number(silenceMs) }
  return strategy === 'semantic' ? { mode: 'Semantic' } : undefined
}

const capitalized = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase()
