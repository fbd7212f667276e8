import { refused } from '@switchroom/kit/failures'
import { primaryTag } from '@switchroom/kit/languages'
import type { Transcriber, Heard, HeardWord, LiveAudio, Setting, Transcript } from '@switchroom/kit/vendor'
import { AudioPump } from './audio-pump.ts'
import type { Message } from './messages.ts'
import { bytesPerSecond, type PcmFormat } from './pcm-format.ts'
import { samplesOf } from './recording.ts'
import { speechPrograms } from './speech-programs.ts'

const onlyModel = 'moonshine-tiny'
const language = 'en'
const sampleRates = { lowest: 8_000, highest: 48_000 }
const longestRecordingMinutes = 60
/** A tenth of a second. */
const silentBytes = 3_200

export function localTranscriber({ keywords }: Setting): Transcriber {
  return {
    async *listen(audio, sampleRate, signal): AsyncIterable<Heard> {
      refuseUnknown(keywords)
      const format: PcmFormat = { sampleRate, channels: 1, encoding: 's16' }
      for await (const message of heard('live', format, audio, signal)) {
        if (message.type === 'ready') yield { type: 'ready' }
        else if (message.type === 'partial') yield { type: 'partial', text: String(message['text']) }
        else if (message.type === 'final') yield { type: 'final', language, ...utteranceOf(message) }
      }
    },

    async transcribe({ bytes }, signal, tell): Promise<Transcript> {
      refuseUnknown(keywords)
      const { format, data } = samplesOf(bytes)
      if (data.length > longestRecordingMinutes * 60 * bytesPerSecond(format))
        throw refused(`local speech-to-text takes recordings of at most ${longestRecordingMinutes} minutes`)
      const utterances: ReturnType<typeof utteranceOf>[] = []
      let duration = 0
      for await (const message of heard('recording', format, piecewise(data), signal)) {
        if (message.type === 'final') {
          const utterance = utteranceOf(message)
          tell?.(utterances.length === 0 ? utterance.text : ` ${utterance.text}`)
          utterances.push(utterance)
        } else if (message.type === 'done') duration = Number(message['duration'])
      }
      return {
        text: utterances.map(({ text }) => text).join(' '),
        language,
        duration,
        words: utterances.flatMap(({ words }) => words),
        segments: utterances.map(({ start, end, text }) => ({ start, end, text })),
      }
    },
  }
}

/** It has listened once afterwards. */
export async function warmTranscriber(signal: AbortSignal): Promise<void> {
  const format: PcmFormat = { sampleRate: 16_000, channels: 1, encoding: 's16' }
  await Array.fromAsync(heard('recording', format, piecewise(new Uint8Array(silentBytes)), signal))
}

function refuseUnknown({ model, language: wanted }: Setting['keywords']) {
  if (model !== undefined && model !== onlyModel && model !== 'auto')
    throw refused(`local hears with the model ${onlyModel} only, which is also its auto`)
  if (typeof wanted === 'string' && primaryTag(wanted) !== language)
    throw refused(`local speech-to-text understands only English, not ${wanted}`)
}

/** The transcript of audio that is sent no faster than the transcriber and the reader follow. */
async function* heard(
  kind: 'live' | 'recording',
  format: PcmFormat,
  audio: AsyncIterable<LiveAudio>,
  signal: AbortSignal,
): AsyncIterable<Message> {
  const { sampleRate } = format
  if (!(sampleRate >= sampleRates.lowest && sampleRate <= sampleRates.highest))
    throw refused(
      `local speech-to-text takes ${sampleRates.lowest} to ${sampleRates.highest} samples a second`,
    )
  const exchange = speechPrograms.ask('hearing', { type: 'open', kind, format }, signal)
  const pump = new AudioPump(audio, exchange)
  try {
    for await (const { message } of exchange) {
      if (message.type === 'ready') pump.start()
      if (message.type === 'taken') pump.taken(Number(message['count']))
      else yield message
    }
  } finally {
    exchange.cancel(signal.reason)
  }
}

async function* piecewise(data: Uint8Array): AsyncIterable<LiveAudio> {
  yield data
}

const utteranceOf = ({ text, start, end, words }: Message) => ({
  text: String(text),
  start: Number(start),
  end: Number(end),
  words: words as HeardWord[],
})
