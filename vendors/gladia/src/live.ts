import { addressOf } from '@switchroom/kit/addresses'
import { refused, silent } from '@switchroom/kit/failures'
import { keywordsAmong } from '@switchroom/kit/keywords'
import { brokenOff, listenLive, type LiveWire } from '@switchroom/kit/live-transcription'
import { askJson, jsonOf, textIn } from '@switchroom/kit/requests'
import { eventOf } from '@switchroom/kit/server-events'
import { openSocket } from '@switchroom/kit/sockets'
import type { Transcriber, Setting } from '@switchroom/kit/vendor'
import { wordsOf, type Said } from './utterances.ts'
import { defaultAddress, headersFor, languageWish, liveModel, vocabularyWish } from './wishes.ts'

const keepAliveMs = 10_000

const messages = {
  receive_partial_transcripts: true,
  receive_final_transcripts: true,
  receive_speech_events: false,
  receive_pre_processing_events: false,
  receive_realtime_processing_events: false,
  receive_post_processing_events: false,
  receive_acknowledgments: false,
  receive_errors: true,
  receive_lifecycle_events: true,
}

export function listening(setting: Setting): NonNullable<Transcriber['listen']> {
  return (audio, sampleRate, signal) => {
    let isOver = false
    const wire: LiveWire = {
      open: async (until) => openSocket(await sessionAt(setting, sampleRate, until), {}, until),
      isReadyOnceOpen: true,
      audio: (pcm) => pcm,
      end() {
        isOver = true
        return JSON.stringify({ type: 'stop_recording' })
      },
      keepAlive: {
        everyMs: keepAliveMs,
        frame: () => JSON.stringify({ type: 'audio_chunk', data: { chunk: '' } }),
      },
      hear,
      closed({ code, reason }) {
        if (code === 1000 && isOver) return null
        const words = brokenOff({ code, reason })
        return code >= 4400 && code < 4500 ? refused(reason || words) : silent(words)
      },
    }
    return listenLive(wire, audio, sampleRate, signal)
  }
}

/** The socket of a new session; its address carries a key of its own. */
async function sessionAt(setting: Setting, sampleRate: number, signal: AbortSignal): Promise<string> {
  const { keywords } = setting
  const wishes = {
    model: liveModel(keywords),
    ...keywordsAmong(keywords, ['endpointing', 'maximum_duration_without_endpointing']),
    ...languageWish(keywords),
    realtime_processing: vocabularyWish(keywords),
    encoding: 'wav/pcm',
    bit_depth: 16,
    sample_rate: sampleRate,
    channels: 1,
    messages_config: messages,
  }
  const address = addressOf(keywords['base_url'] ?? defaultAddress, '/v2/live', {
    region: keywords['region'],
  })
  const answer = await askJson(address, wishes, { headers: headersFor(setting), signal })
  const url = textIn(await jsonOf(answer), 'url')
  if (!/^wss?:\/\//.test(url)) throw silent('it named no socket')
  return url
}

interface Message {
  type?: string
  error?: { message?: string } | null
  data?: { is_final?: boolean; utterance?: Said } | null
}

const hear: LiveWire['hear'] = function* hear(frame) {
  const { type, error, data } = eventOf(String(frame)) as Message
  if (error) throw refused(error.message ?? 'it says no')
  if (type === 'end_session') yield 'finished'
  const said = data?.utterance
  const text = said?.text.trim()
  if (type !== 'transcript' || !said || !text) return
  if (!data.is_final) yield { type: 'partial', text }
  else {
    const { start, end, language } = said
    yield { type: 'final', text, start, end, words: wordsOf(said), ...(language && { language }) }
  }
}
