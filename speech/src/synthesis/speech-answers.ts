import type { FastifyBaseLogger } from 'fastify'
import { CallerGone } from '../http/caller-gone.ts'
import { openAiRefusal } from '../foundation/openai-requests.ts'
import { Refusal } from '../foundation/refusals.ts'
import type { AskedSpeech } from './speech-request.ts'
import type { Saying } from './speech.ts'

const mediaTypes = {
  pcm: 'audio/pcm',
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
} as const

export function headersOf({
  format,
  sampleRate,
  characters,
  timestamps,
  isEvents,
}: AskedSpeech): Record<string, string> {
  const always = { 'x-svc-characters': String(characters), 'cache-control': 'no-store' }
  if (timestamps || isEvents)
    return { ...always, 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' }
  const shape = format === 'pcm' && {
    'x-sample-rate': String(sampleRate),
    'x-channels': '1',
    'x-bit-depth': '16',
  }
  return { ...always, 'content-type': mediaTypes[format], ...shape }
}

/** In the form that was asked for. */
export function answerOf(
  saying: Saying,
  asked: AskedSpeech,
  { id, log }: { id: string; log: FastifyBaseLogger },
): AsyncIterable<string | Uint8Array> {
  if (asked.isEvents) return openAiEventsOf(saying, asked, log)
  return asked.timestamps ? eventsOf(saying, asked, id, log) : soundOf(saying, log)
}

/** The sound itself. A failure cuts the connection, so that no client takes half for the whole. */
async function* soundOf({ pieces }: Saying, logger: FastifyBaseLogger): AsyncIterable<Uint8Array> {
  try {
    for await (const piece of pieces) if (piece.type === 'audio') yield piece.bytes
  } catch (error) {
    brokeOff(error, logger)
    throw error
  }
}

/** The sound with the times of its words, as server-sent events. */
async function* eventsOf(
  saying: Saying,
  { format, sampleRate, characters }: AskedSpeech,
  requestId: string,
  logger: FastifyBaseLogger,
): AsyncIterable<string> {
  yield eventOf({ type: 'start', request_id: requestId, format, sample_rate: sampleRate })
  try {
    for await (const piece of saying.pieces)
      yield eventOf(
        piece.type === 'word' ? piece : { type: 'audio', data: Buffer.from(piece.bytes).toString('base64') },
      )
  } catch (error) {
    brokeOff(error, logger)
    const sentence = error instanceof Refusal ? error.message : 'something broke on our side'
    yield eventOf({ type: 'error', code: 'UPSTREAM_ERROR', error: sentence })
    return
  }
  yield eventOf({ type: 'done', characters, audio_ms: saying.audioMs })
  yield 'data: [DONE]\n\n'
}

/** The sound as OpenAI's events; its `usage` counts characters, which is what is paid for. */
async function* openAiEventsOf(
  saying: Saying,
  { characters }: AskedSpeech,
  logger: FastifyBaseLogger,
): AsyncIterable<string> {
  try {
    for await (const piece of saying.pieces)
      if (piece.type === 'audio')
        yield eventOf({ type: 'speech.audio.delta', audio: Buffer.from(piece.bytes).toString('base64') })
  } catch (error) {
    brokeOff(error, logger)
    yield eventOf({ type: 'error', ...openAiRefusal(asRefusal(error)) })
    return
  }
  const usage = { input_tokens: characters, output_tokens: 0, total_tokens: characters }
  yield eventOf({ type: 'speech.audio.done', usage })
}

const asRefusal = (error: unknown) =>
  error instanceof Refusal ? error : new Refusal(500, 'INTERNAL_ERROR', 'something broke on our side')

const eventOf = (frame: object) => `data: ${JSON.stringify(frame)}\n\n`

/** A caller that hung up needs no error event. */
function brokeOff(error: unknown, logger: FastifyBaseLogger) {
  if (!(error instanceof CallerGone)) logger.warn({ err: error }, 'speech broke off')
}
