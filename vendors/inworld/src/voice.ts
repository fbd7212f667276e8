import { addressOf } from '@switchroom/kit/addresses'
import { refused, silent } from '@switchroom/kit/failures'
import { connectAhead } from '@switchroom/kit/kept-connections'
import { askJson } from '@switchroom/kit/requests'
import { eventOf, linesOf } from '@switchroom/kit/server-events'
import { textPieces } from '@switchroom/kit/text-pieces'
import { timedSpeech, type SpeechPiece } from '@switchroom/kit/timed-speech'
import type { Setting, Voice } from '@switchroom/kit/vendor'
import type { Mark } from '@switchroom/kit/word-times'
import { accountOf } from './account.ts'

/** Which its guides begin with. */
const firstVoice = 'Dennis'
/** It refuses a longer text. */
const mostCharacters = 2_000
const rates = [8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]
const bytesPerSample = 2
const wavHeaderBytes = 44

export function voice(setting: Setting): Voice {
  const { base, headers, asked } = accountOf(setting)
  const { voice_id: id = firstVoice, sample_rate: sampleRate = 24_000, speaking_rate: speed, ...rest } = asked
  const { model_id: modelId, language, delivery_mode, temperature, apply_text_normalization } = rest
  if (!rates.includes(Number(sampleRate)))
    throw refused(`inworld speaks at ${rates.join(', ')} Hz, not at ${String(sampleRate)}`)
  const body = {
    voiceId: id,
    modelId,
    audioConfig: { audioEncoding: 'PCM', sampleRateHertz: Number(sampleRate), speakingRate: speed },
    language,
    deliveryMode: delivery_mode,
    temperature,
    applyTextNormalization: apply_text_normalization,
    timestampType: 'WORD',
  }
  const url = addressOf(base, '/tts/v1/voice:stream')

  /** A long text is several requests, whose times each begin anew. */
  async function* piecesOf(text: string, signal: AbortSignal): AsyncIterable<SpeechPiece> {
    let bytes = 0
    for (const piece of textPieces(text, mostCharacters)) {
      const start = bytes / bytesPerSample / Number(sampleRate)
      const answer = await askJson(url, { text: piece, ...body }, { headers, signal })
      for await (const { audio, marks } of spokenIn(answer)) {
        bytes += audio.length
        yield { audio: audio.toString('base64'), marks: marks.map((mark) => later(mark, start)) }
      }
    }
  }

  return {
    sampleRate: Number(sampleRate),
    connect: () => connectAhead(url),
    speak: (text, signal) => timedSpeech(text, piecesOf(text, signal)),
  }
}

const later = ({ text, start, end }: Mark, seconds: number): Mark => ({
  text,
  start: start + seconds,
  end: end + seconds,
})

interface Line {
  result?: {
    audioContent?: string
    timestampInfo?: { wordAlignment?: WordAlignment | null } | null
  } | null
  /** After a stream has begun. */
  error?: { code?: number; message?: string } | null
}

interface WordAlignment {
  words?: string[]
  wordStartTimeSeconds?: number[]
  wordEndTimeSeconds?: number[]
}

async function* spokenIn(answer: Response): AsyncIterable<{ audio: Buffer; marks: Mark[] }> {
  for await (const line of linesOf(answer)) {
    if (line.trim() === '') continue
    const { result, error } = eventOf(line) as Line
    if (error) throw failureOf(error)
    if (!result) throw silent('it sent a line without a result')
    const audio = withoutHeader(Buffer.from(result.audioContent ?? '', 'base64'))
    yield { audio, marks: marksIn(result.timestampInfo?.wordAlignment) }
  }
}

/** Codes of gRPC for what was asked wrongly, or may not be asked. */
const refusals = new Set([3, 5, 7, 9, 11, 12, 16])

function failureOf({ code = 0, message = 'it failed' }: NonNullable<Line['error']>) {
  return refusals.has(code) ? refused(message) : silent(message)
}

/** Some of its encodings begin every piece like a file. */
const withoutHeader = (pcm: Buffer) =>
  pcm.toString('latin1', 0, 4) === 'RIFF' ? pcm.subarray(wavHeaderBytes) : pcm

function marksIn(alignment: WordAlignment | null | undefined): Mark[] {
  const { words = [], wordStartTimeSeconds: starts = [], wordEndTimeSeconds: ends = [] } = alignment ?? {}
  return words.map((text, at) => ({ text, start: starts[at] ?? 0, end: ends[at] ?? 0 }))
}
