import { createSocket, type Socket } from 'node:dgram'
import type { MediaTerms } from '../src/rtp/media-terms.ts'
import { newRtp, payloadIn, readRtp, type RtpPacket } from '../src/rtp/rtp-packet.ts'
import { type Codec, codecs } from '../src/rtp/codecs.ts'
import { type Encode, newCoding, newEncode } from '../src/rtp/coders.ts'
import { freeUdpPort } from './free-udp-port.ts'

export const tonePayloadType = 101

export interface SentAs {
  timestamp?: number
  sequence?: number
  ssrc?: number
  payloadType?: number
}

/** The other end of an RTP leg, on loopback: sends the packets that a test asks for, and keeps what came back. */
export class RtpPhone {
  readonly received: RtpPacket[] = []
  readonly codec: Codec
  readonly #encode: Encode
  readonly #socket: Socket
  /** Where the leg listens. */
  localPort = 0
  #timestamp = 1000
  #sequence = 0
  #wake: (() => void)[] = []

  private constructor(socket: Socket, codec: Codec) {
    this.codec = codec
    this.#encode = newEncode(codec)
    this.#socket = socket
    socket.on('message', (bytes) => {
      const packet = readRtp(bytes)
      if (!packet) return
      this.received.push({ ...packet, payload: Uint8Array.from(packet.payload) })
      for (const wake of this.#wake.splice(0)) wake()
    })
  }

  static async ring(codec: Codec = 'PCMU', address = '127.0.0.1'): Promise<RtpPhone> {
    const phone = new RtpPhone(createSocket('udp4'), codec)
    const port = await freeUdpPort()
    await new Promise<void>((resolve) => phone.#socket.bind(port, address, resolve))
    phone.localPort = await freeUdpPort()
    return phone
  }

  get port(): number {
    return this.#socket.address().port
  }

  get terms(): MediaTerms {
    return {
      localPort: this.localPort,
      localAddress: '127.0.0.1',
      remoteAddress: '127.0.0.1',
      signalledFrom: '127.0.0.1',
      remotePort: this.port,
      codec: this.codec,
      payloadType: codecs[this.codec].payloadType,
      tonePayloadType,
      ptimeMs: 20,
    }
  }

  /** One packet; by default the next frame in order. */
  say(samples: Int16Array, as: SentAs = {}): void {
    const header = {
      timestamp: (as.timestamp ?? this.#timestamp) >>> 0,
      sequence: as.sequence ?? this.#sequence,
      ssrc: as.ssrc ?? 7,
      payloadType: as.payloadType ?? this.terms.payloadType,
      isMarked: false,
    }
    const { clockRate, sampleRate } = codecs[this.codec]
    this.sendPayload(header, this.#encode(samples))
    this.#timestamp = header.timestamp + (samples.length * clockRate) / sampleRate
    this.#sequence = (header.sequence + 1) & 0xffff
  }

  /** Whatever a packet may hold. */
  sendPayload(header: Omit<RtpPacket, 'payload'>, payload: Uint8Array): void {
    const packet = newRtp(header, payload.length)
    payloadIn(packet).set(payload)
    this.sendBytes(packet)
  }

  /** One packet of a telephone event. */
  press(event: number, timestamp: number, isEnd = false): void {
    const header = {
      timestamp,
      sequence: this.#sequence,
      ssrc: 7,
      payloadType: tonePayloadType,
      isMarked: false,
    }
    this.#sequence += 1
    const packet = newRtp(header, 4)
    payloadIn(packet).set([event, isEnd ? 0x8a : 0x0a, 0, 160])
    this.sendBytes(packet)
  }

  sendBytes(bytes: Uint8Array): void {
    this.#socket.send(bytes, this.localPort, '127.0.0.1')
  }

  /** Whatever comes, as it comes. */
  onBytes(listener: (bytes: Buffer) => void): void {
    this.#socket.on('message', (bytes) => listener(bytes))
  }

  /** Until what came is as asked. */
  async until(isThere: (packets: RtpPacket[]) => boolean): Promise<void> {
    while (!isThere(this.received)) await new Promise<void>((resolve) => this.#wake.push(resolve))
  }

  /** Of the packets with sound, the samples in the order of their timestamps. */
  get heard(): Int16Array {
    const sound = this.received.filter(({ payloadType }) => payloadType === this.terms.payloadType)
    const coding = newCoding(this.codec)
    return Int16Array.from(sound.flatMap(({ payload }) => [...(coding.decode(payload) ?? [])]))
  }

  close(): void {
    this.#socket.close()
  }
}

/** From the first to the last sample that is not silent. */
export function loudPart(samples: Int16Array): Int16Array {
  const isLoud = (sample: number) => Math.abs(sample) > 100
  return samples.slice(samples.findIndex(isLoud), samples.findLastIndex(isLoud) + 1)
}

/** The frames of 20 ms in which something sounds: a busy machine may have left silence between them. */
export function soundIn(samples: Int16Array, frame = 160): Int16Array {
  const frames = Array.from({ length: Math.floor(samples.length / frame) }, (_, at) =>
    samples.subarray(at * frame, (at + 1) * frame),
  )
  return Int16Array.from(frames.filter((one) => loudPart(one).length > 0).flatMap((one) => [...one]))
}
