import { randomUUID } from 'node:crypto'
import { wavHeader } from '@switchroom/audio/wav'
import { socketAddressOf } from '@switchroom/kit/addresses'
import { bytesPerSample } from '@switchroom/kit/audio-pieces'
import { refused, silent } from '@switchroom/kit/failures'
import { brokenOff, listenLive, type LiveWire } from '@switchroom/kit/live-transcription'
import { openSocket, type VendorSocket } from '@switchroom/kit/sockets'
import { speakerNumbers } from '@switchroom/kit/speakers'
import type { Heard, Setting, Transcriber } from '@switchroom/kit/vendor'
import { accountOf } from './account.ts'
import { contextOf, recognitionOf } from './context.ts'
import { audioMessage, messageOf, textMessage } from './messages.ts'
import { finalOf, type Phrase } from './phrases.ts'

/** In hertz: it documents no others for a stream. */
const streamRates = [8_000, 16_000]
/** Its own client sends so much at once, and then no faster than twice as fast as it is spoken. */
const aheadMs = 5_000
/** Codes with which it closes because of what it was sent. */
const refusals = new Set([1002, 1003, 1007, 1008, 4000])

export function listening(setting: Setting): NonNullable<Transcriber['listen']> {
  const { base, headers, asked } = accountOf(setting, 'live')
  const { path, query } = recognitionOf(asked)
  const url = socketAddressOf(base, path, query)
  return (audio, sampleRate, signal) => {
    if (!streamRates.includes(sampleRate))
      throw refused(`azure hears sound of ${streamRates.join(' or ')} Hz, not of ${sampleRate}`)
    const stream = new Stream(asked, sampleRate)
    const open = async (until: AbortSignal) =>
      stream.begin(await openSocket(url, { ...headers, 'x-connectionid': newId() }, until))
    return listenLive(stream.wire(open), audio, sampleRate, signal)
  }
}

const newId = () => randomUUID().replaceAll('-', '')

/** One connection. It hears in turns: after silence, or ten minutes, it ends one and expects the next. */
class Stream {
  readonly #asked: Setting['keywords']
  readonly #rate: number
  readonly #session = newId()
  readonly #speakerNumber = speakerNumbers()
  #socket: VendorSocket | undefined
  #request = newId()
  #sentBytes = 0
  /** Seconds from the start of the sound. */
  #turnStart = 0
  #isOver = false

  constructor(asked: Setting['keywords'], rate: number) {
    this.#asked = asked
    this.#rate = rate
  }

  wire(open: LiveWire['open']): LiveWire {
    return {
      open,
      isReadyOnceOpen: true,
      aheadMs,
      audio: (pcm) => {
        this.#sentBytes += pcm.length
        return audioMessage(this.#request, pcm)
      },
      end: () => {
        this.#isOver = true
        return audioMessage(this.#request)
      },
      hear: (frame) => this.#hear(messageOf(frame)),
      closed: (closing) =>
        refusals.has(closing.code)
          ? refused(closing.reason || brokenOff(closing))
          : silent(brokenOff(closing)),
    }
  }

  async begin(socket: VendorSocket): Promise<VendorSocket> {
    this.#socket = socket
    const source = {
      bitspersample: 8 * bytesPerSample,
      channelcount: 1,
      samplerate: this.#rate,
      type: 'Stream',
    }
    const system = { name: 'switchroom', version: '1', build: 'JavaScript', lang: 'JavaScript' }
    const config = { context: { system, audio: { source } } }
    await socket.send(textMessage('speech.config', this.#request, config))
    await this.#beginTurn(socket)
    return socket
  }

  async #beginTurn(socket: VendorSocket) {
    const speakers = { session: this.#session, offsetMs: Math.round(this.#turnStart * 1_000) }
    const context = contextOf(this.#asked, speakers)
    const header = wavHeader({ sampleRate: this.#rate, dataBytes: 0 })
    const asked = socket.send(textMessage('speech.context', this.#request, context))
    const begun = socket.send(audioMessage(this.#request, header, 'audio/x-wav')) // before any sound of the turn
    await Promise.all([asked, begun])
  }

  *#hear({ path, body }: ReturnType<typeof messageOf>): Iterable<Heard | 'finished'> {
    if (path === 'speech.hypothesis' && typeof body['Text'] === 'string' && body['Text'] !== '')
      yield { type: 'partial', text: body['Text'] }
    if (path === 'speech.phrase') {
      const final = finalOf(body as unknown as Phrase, this.#turnStart, this.#speakerNumber)
      if (final) yield final
    }
    if (path !== 'turn.end') return
    if (this.#isOver) yield 'finished'
    else this.#nextTurn()
  }

  #nextTurn() {
    this.#request = newId()
    this.#turnStart = this.#sentBytes / bytesPerSample / this.#rate
    if (this.#socket) void this.#beginTurn(this.#socket) // a failed send is a closed socket, which is heard of
  }
}
