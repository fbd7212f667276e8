import { socketAddressOf } from '@switchroom/kit/addresses'
import { refused, silent } from '@switchroom/kit/failures'
import { keywordsAmong } from '@switchroom/kit/keywords'
import { listenLive, type LiveWire } from '@switchroom/kit/live-transcription'
import { eventOf } from '@switchroom/kit/server-events'
import { openSocket, type VendorSocket } from '@switchroom/kit/sockets'
import { speakerNumbers } from '@switchroom/kit/speakers'
import type { Transcriber, Heard, Setting } from '@switchroom/kit/vendor'
import { Finalization } from './finalization.ts'
import { liveModel } from './models.ts'
import { textOf, utterancesOf, type Token } from './tokens.ts'
import { hostOf, wishesOf } from './wishes.ts'

/** The vendor closes a connection that is silent for 20 seconds. */
const keepAliveMs = 5_000
/** It asks for the pace of speech, and takes a small burst. */
const aheadMs = 2_000
const bytesPerSample = 2

const endpointParameters = [
  'enable_endpoint_detection',
  'max_endpoint_delay_ms',
  'endpoint_sensitivity',
  'endpoint_latency_adjustment_level',
]

export function listening({ keywords, credentials }: Setting): NonNullable<Transcriber['listen']> {
  const key = String(credentials['api_key'])
  const address = socketAddressOf(hostOf(keywords, 'stt-rt'), '/transcribe-websocket')
  const wishes = {
    enable_endpoint_detection: true,
    ...wishesOf(keywords),
    ...keywordsAmong(keywords, endpointParameters),
    model: liveModel(String(keywords['model'])),
    audio_format: 'pcm_s16le',
    num_channels: 1,
  }
  return (audio, sampleRate, signal) => {
    let heardMs = 0
    let socket: VendorSocket | undefined
    const finalization = new Finalization(() => void socket?.sendJson({ type: 'finalize' }))
    const wire: LiveWire = {
      async open(until) {
        socket = await openSocket(address, { authorization: `Bearer ${key}` }, until)
        // its older servers know no header, its newer ones will take nothing else
        await socket.sendJson({ api_key: key, ...wishes, sample_rate: sampleRate })
        return socket
      },
      isReadyOnceOpen: true,
      aheadMs,
      audio(pcm) {
        heardMs += (pcm.length / bytesPerSample / sampleRate) * 1_000
        return pcm
      },
      finalize() {
        finalization.wish(heardMs)
        return undefined
      },
      end() {
        finalization.stop()
        return ''
      },
      keepAlive: { everyMs: keepAliveMs, frame: () => JSON.stringify({ type: 'keepalive' }) },
      hear: hearing(finalization, () => heardMs === 0),
    }
    return listenLive(wire, audio, sampleRate, signal)
  }
}

interface Answer {
  tokens?: Token[]
  finished?: boolean
  error_code?: number
  error_message?: string
}

/** What marks the end of an utterance: one it noticed itself, or one it was asked for. */
const marks = new Set(['<end>', '<fin>'])

/** What it says of a session that ends without any. */
const noAudio = /no audio/i

function hearing(finalization: Finalization, isUnheard: () => boolean): LiveWire['hear'] {
  const speakerNumber = speakerNumbers()
  let certain: Token[] = []

  function* committed(): Iterable<Heard> {
    for (const utterance of utterancesOf(certain, speakerNumber)) yield { type: 'final', ...utterance }
    certain = []
    finalization.committed()
  }

  return function* hear(frame) {
    const { tokens = [], finished, error_code: code, error_message: words } = eventOf(String(frame)) as Answer
    if (isUnheard() && noAudio.test(words ?? '')) {
      yield 'finished'
      return
    }
    if (code !== undefined || words !== undefined)
      throw (code ?? 400) < 500 ? refused(words ?? `code ${code}`) : silent(words ?? `code ${code}`)
    const unsure: Token[] = []
    finalization.heard(tokens)
    for (const token of tokens)
      if (marks.has(token.text)) yield* committed()
      else (token.is_final ? certain : unsure).push(token)
    const text = textOf([...certain, ...unsure])
    if (finished) {
      yield* committed()
      yield 'finished'
    } else if (text && tokens.length > 0) yield { type: 'partial', text }
  }
}
