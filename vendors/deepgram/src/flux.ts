import { socketAddressOf } from '@switchroom/kit/addresses'
import { refused, silent } from '@switchroom/kit/failures'
import { keywordsAmong } from '@switchroom/kit/keywords'
import { primaryTag } from '@switchroom/kit/languages'
import { listenLive, type LiveWire } from '@switchroom/kit/live-transcription'
import { eventOf } from '@switchroom/kit/server-events'
import { openSocket } from '@switchroom/kit/sockets'
import type { Transcriber, Heard, Setting } from '@switchroom/kit/vendor'
import { accountOf } from './account.ts'
import { failureOf } from './live.ts'
import { fewTerms } from './parameters.ts'
import { transcribe } from './recorded.ts'
import { Turns, type TurnInfo } from './turns.ts'

/** The length of audio it works in. */
const pieceMs = 80
const bytesPerSample = 2
const keepAliveMs = 5_000

/** Takes the recordings, which Flux does not. */
const recordedModel = 'nova-3'
/** Those of its keywords that the endpoint for recordings knows, too. */
const shared = ['keyterm', 'mip_opt_out', 'tag', 'base_url']

/** A transcriber that detects the end of the caller's turn. */
export function fluxTranscriber(setting: Setting): Transcriber {
  return {
    transcribe: transcribe(recordedSetting(setting)),
    async *listen(audio, sampleRate, signal) {
      const turns = new Turns()
      yield* listenLive(wireOf(setting, sampleRate, turns), audio, sampleRate, signal)
      yield* turns.end() // it closes without ending the turn that is going on
    },
  }
}

function recordedSetting(setting: Setting): Setting {
  const [language] = [setting.keywords['language_hint']].flat()
  const keywords = {
    ...keywordsAmong(setting.keywords, shared),
    ...(language !== undefined && { language }),
    model: recordedModel,
  }
  return { ...setting, class: 'STT', keywords }
}

function wireOf(setting: Setting, sampleRate: number, turns: Turns): LiveWire {
  const { base, headers, asked } = accountOf(setting)
  const { keyterm, language_hint: hints, ...rest } = asked
  const query = {
    ...rest,
    keyterm: fewTerms(keyterm),
    language_hint: String(rest['model']).endsWith('-multi') ? languagesOf(hints) : undefined,
    encoding: 'linear16',
    sample_rate: sampleRate,
  }
  const silence = new Uint8Array(((pieceMs * sampleRate) / 1_000) * bytesPerSample)
  let isOver = false
  return {
    open: (signal) => openSocket(socketAddressOf(base, '/v2/listen', query), headers, signal),
    pieceMs: { least: pieceMs, most: pieceMs },
    audio: (pcm) => pcm,
    finalize: () => JSON.stringify({ type: 'ForceEndTurn' }),
    end() {
      isOver = true
      return JSON.stringify({ type: 'CloseStream' })
    },
    // a KeepAlive message would end the connection: here only audio keeps it
    keepAlive: { everyMs: keepAliveMs, frame: () => silence },
    hear: (frame) => heardIn(eventOf(String(frame)) as unknown as Message, turns),
    closed: (closing) => failureOf(closing, isOver),
  }
}

const languagesOf = (hints: unknown) => ([hints ?? []].flat() as string[]).map(primaryTag)

type Message = TurnInfo | { type: 'Connected' } | { type: 'Error'; code?: string; description?: string }

function* heardIn(message: Message, turns: Turns): Iterable<Heard> {
  if (message.type === 'Connected') yield { type: 'ready' }
  if (message.type === 'TurnInfo') yield* turns.hear(message)
  if (message.type !== 'Error') return
  const { code = '', description = code } = message
  throw code.startsWith('INTERNAL') ? silent(description) : refused(description)
}
