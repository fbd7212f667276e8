import { socketAddressOf } from '@switchroom/kit/addresses'
import { keywordsAmong } from '@switchroom/kit/keywords'
import { brokenOff, listenLive, type LiveWire } from '@switchroom/kit/live-transcription'
import { openSocket } from '@switchroom/kit/sockets'
import type { Transcriber, Setting } from '@switchroom/kit/vendor'
import { failureFor } from './codes.ts'
import { hostOf } from './hosts.ts'
import { liveLanguage, liveModel } from './models.ts'
import { hearing } from './turns.ts'

const message = (type: string) => JSON.stringify({ type })

/** Passed on under their own names. */
const plainParameters = [
  'end_of_turn_confidence_threshold',
  'min_turn_silence',
  'max_turn_silence',
  'vad_threshold',
  'format_turns',
  'filter_profanity',
  'speaker_labels',
  'prompt',
  'domain',
]

/** One key term more or longer, and it refuses the session. */
const mostTerms = 100
const longestTerm = 50

export function listening({ keywords, credentials }: Setting): NonNullable<Transcriber['listen']> {
  return (audio, sampleRate, signal) => {
    const wire: LiveWire = {
      open: (until) =>
        openSocket(
          addressFor(keywords, sampleRate),
          { authorization: String(credentials['api_key']) },
          until,
        ),
      pieceMs: { least: 50, most: 1_000 },
      aheadMs: 1_000,
      audio: (pcm) => pcm,
      finalize: () => message('ForceEndpoint'),
      end: () => message('Terminate'),
      hear: hearing(keywords['format_turns'] === true),
      closed: ({ code, reason }) => failureFor(code, reason || brokenOff({ code, reason })),
    }
    return listenLive(wire, audio, sampleRate, signal)
  }
}

function addressFor(keywords: Setting['keywords'], sampleRate: number): URL {
  const language = keywords['language_code'] as string | undefined
  const model = liveModel(String(keywords['speech_model']), language)
  const terms = ((keywords['keyterms_prompt'] ?? []) as string[]).filter((term) => term.length <= longestTerm)
  return socketAddressOf(hostOf(keywords, 'streaming'), '/v3/ws', {
    sample_rate: sampleRate,
    encoding: 'pcm_s16le',
    speech_model: model,
    ...liveLanguage(model, language),
    keyterms_prompt: terms.length > 0 ? JSON.stringify(terms.slice(0, mostTerms)) : undefined,
    ...keywordsAmong(keywords, plainParameters),
  })
}
