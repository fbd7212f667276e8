import { socketAddressOf } from '@switchroom/kit/addresses'
import { primaryTag } from '@switchroom/kit/languages'
import { listenLive, type LiveWire } from '@switchroom/kit/live-transcription'
import { openSocket } from '@switchroom/kit/sockets'
import type { Transcriber, Setting } from '@switchroom/kit/vendor'
import { accountOf } from './account.ts'
import { Commits } from './commits.ts'
import { SentAudio } from './sent-audio.ts'
import { termsWithin } from './words.ts'

const pieceMs = { least: 100, most: 1_000 }
const mostTerms = 50
const longestTerm = 20
/** It ignores a commit of less and hangs up. */
const leastCommitMs = 300
/** It closes after a quarter of a minute without audio, and knows no message that is none. */
const keepAliveMs = 5_000
const silenceMs = 100

export function listen(setting: Setting): NonNullable<Transcriber['listen']> {
  return (audio, sampleRate, signal) => listenLive(wireOf(setting, sampleRate), audio, sampleRate, signal)
}

function wireOf(setting: Setting, sampleRate: number): LiveWire {
  const { base, headers, asked } = accountOf(setting)
  const { language_code: language, keyterms, ...rest } = asked
  const query = {
    commit_strategy: 'vad',
    ...rest,
    language_code: language === undefined ? undefined : primaryTag(language as string),
    keyterms: termsWithin(keyterms, mostTerms, longestTerm),
    include_timestamps: true,
    include_language_detection: language === undefined ? true : undefined,
    audio_format: `pcm_${sampleRate}`,
  }
  const sent = new SentAudio(sampleRate)
  const commits = new Commits(sent)
  const chunk = (pcm: Uint8Array, commit: boolean) =>
    JSON.stringify({
      message_type: 'input_audio_chunk',
      audio_base_64: Buffer.from(pcm).toString('base64'),
      commit,
      sample_rate: sampleRate,
    })
  // how much of the audio it has committed by itself is its own secret, so every commit brings enough
  const commit = () => {
    commits.ask()
    return chunk(sent.silence(leastCommitMs), true)
  }
  return {
    open: (signal) =>
      openSocket(socketAddressOf(base, '/v1/speech-to-text/realtime', query), headers, signal),
    pieceMs,
    audio: (pcm) => chunk(sent.heard(pcm), false),
    finalize: commit,
    end() {
      commits.endAfterThis()
      return commit()
    },
    keepAlive: { everyMs: keepAliveMs, frame: () => chunk(sent.silence(silenceMs), false) },
    hear: (frame) => commits.hear(String(frame)),
    closed: (closing) => commits.closed(closing),
  }
}
