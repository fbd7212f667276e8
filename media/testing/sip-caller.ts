import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { newRtp, payloadIn, readRtp } from '../src/rtp/rtp-packet.ts'
import type { SipDialog } from '../src/sip/server.ts'
import { SipServer } from '../src/sip/server.ts'
import { decodeG711, encodeG711 } from '@switchroom/audio/g711'
import { sine } from '@switchroom/audio/testing/tones'
import { never, trunkTo } from './sip-peer.ts'

const frameMs = 20
const tone = sine(440)
const isLoud = (payload: Uint8Array) => decodeG711('PCMU', payload).some((sample) => Math.abs(sample) > 1_000)

/** A phone that speaks without a pause and measures for how long it does not hear itself. */
export class SipCaller {
  readonly call: SipDialog
  #longestGapMs = 0
  readonly #sip: SipServer
  readonly #sound: Socket
  readonly #speaking: NodeJS.Timeout
  #heardAtMs = 0

  private constructor(sip: SipServer, sound: Socket, call: SipDialog) {
    this.#sip = sip
    this.#sound = sound
    this.call = call
    sound.on('message', (bytes) => {
      const packet = readRtp(bytes)
      if (packet && isLoud(packet.payload)) this.#hear(performance.now())
    })
    const begunAtMs = performance.now()
    let sequence = 0
    const speak = () => {
      // What was due while this process was busy is said now.
      for (; sequence * frameMs <= performance.now() - begunAtMs; sequence++) {
        const timestamp = sequence * tone.length
        const header = { timestamp, sequence: sequence & 0xffff, ssrc: 7, payloadType: 0, isMarked: false }
        const packet = newRtp(header, tone.length)
        encodeG711('PCMU', tone, payloadIn(packet))
        sound.send(packet, call.terms.remotePort, call.terms.remoteAddress)
      }
    }
    this.#speaking = setInterval(speak, frameMs)
  }

  static async call(port: number, number: string): Promise<SipCaller> {
    const sound = createSocket('udp4').bind(0, '127.0.0.1')
    await once(sound, 'listening')
    const sip = await SipServer.start({
      host: '127.0.0.1',
      port: 0,
      publicAddress: '127.0.0.1',
      fences: () => [],
      isLocalAllowed: false,
      allocatePort: () => sound.address().port,
      releasePort: () => {},
      onInvite: () => {},
    })
    return new SipCaller(sip, sound, await sip.invite(number, trunkTo(port), '+34600111222', never))
  }

  get isHearing(): boolean {
    return this.#heardAtMs > 0
  }

  /** Since it was asked last; a gap that has not ended counts. */
  takeLongestGapMs(): number {
    this.#measure(performance.now())
    const gapMs = this.#longestGapMs
    this.#longestGapMs = 0
    return gapMs
  }

  async close(): Promise<void> {
    clearInterval(this.#speaking)
    await this.#sip.stop()
    this.#sound.close()
  }

  #hear(nowMs: number): void {
    this.#measure(nowMs)
    this.#heardAtMs = nowMs
  }

  #measure(nowMs: number): void {
    if (this.isHearing) this.#longestGapMs = Math.max(this.#longestGapMs, nowMs - this.#heardAtMs)
  }
}
