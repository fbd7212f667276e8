import { socketAddressOf } from '@switchroom/kit/addresses'
import { listenLive, type LiveWire } from '@switchroom/kit/live-transcription'
import { keywordsAmong } from '@switchroom/kit/keywords'
import { openSocket } from '@switchroom/kit/sockets'
import type { Setting, Transcriber } from '@switchroom/kit/vendor'
import { accountOf } from './account.ts'
import { languageIn, sharedConfig } from './config.ts'
import { closeFailure } from './failures.ts'
import { Utterances } from './utterances.ts'

/** It listens in one language, and does not find out which. */
const usualLanguage = 'en'
/** Seconds of silence that end an utterance, as it recommends for conversations. */
const usualSilence = 0.5
/** Seconds until a word is sure: they must be longer than the silence. */
const delay = { least: 1, most: 4 }

export function listening(setting: Setting): NonNullable<Transcriber['listen']> {
  return (audio, sampleRate, signal) => listenLive(wireOf(setting, sampleRate), audio, sampleRate, signal)
}

function wireOf(setting: Setting, sampleRate: number): LiveWire {
  const { live, headers } = accountOf(setting)
  const { end_of_utterance_silence_trigger: silence = usualSilence } = setting.keywords
  const start = {
    message: 'StartRecognition',
    audio_format: { type: 'raw', encoding: 'pcm_s16le', sample_rate: sampleRate },
    transcription_config: {
      max_delay: Math.min(Math.max(2 * Number(silence), delay.least), delay.most),
      ...sharedConfig(setting.keywords),
      ...keywordsAmong(setting.keywords, ['max_delay', 'max_delay_mode']),
      language: languageIn(setting.keywords) ?? usualLanguage,
      enable_partials: true,
      conversation_config: { end_of_utterance_silence_trigger: silence },
    },
  }
  const utterances = new Utterances(Number(silence) > 0)
  let sent = 0
  return {
    async open(signal) {
      const socket = await openSocket(socketAddressOf(live, '/v2'), headers, signal)
      await socket.sendJson(start)
      return socket
    },
    audio(pcm) {
      sent += 1
      return pcm
    },
    finalize: () => JSON.stringify({ message: 'ForceEndOfUtterance' }),
    end: () => JSON.stringify({ message: 'EndOfStream', last_seq_no: sent }),
    hear: (frame) => utterances.hear(String(frame)),
    closed: closeFailure,
  }
}
