import type { LineFigures } from '../leg.ts'
import { type ArrivedPacket, Reception } from '../rtp/reception.ts'
import { RtcpSession } from '../rtp/rtcp-session.ts'
import type { Peer } from './peer.ts'

/** Of Opus over RTP. */
const clockRate = 48_000

/** The reports of a browser's leg and what they say of its line. */
export class BrowserReports {
  readonly #reception = new Reception(clockRate)
  readonly #session: RtcpSession
  #packets = 0
  #octets = 0

  constructor(peer: Peer, timestamp: () => number) {
    this.#session = new RtcpSession({
      ssrc: () => peer.ssrc,
      clockRate: () => clockRate,
      reception: this.#reception,
      sent: () => ({ packets: this.#packets, octets: this.#octets, timestamp: timestamp() }),
      send: (packet) => peer.sendReport(packet),
      nowMs,
    })
    peer.onReport((packet) => void this.#session.receive(packet))
  }

  get figures(): LineFigures {
    return {
      codec: 'opus',
      roundTripMs: this.#session.roundTripMs,
      heard: { ...this.#reception.totals, jitterMs: this.#reception.jitterMs },
      sent: this.#session.heardThere,
    }
  }

  sent({ length }: Uint8Array): void {
    this.#packets += 1
    this.#octets += length
  }

  arrived(packet: ArrivedPacket, isSound: boolean): void {
    this.#reception.put(packet, nowMs(), isSound)
  }

  tick(): void {
    this.#session.tick()
  }
}

const nowMs = () => performance.timeOrigin + performance.now()
