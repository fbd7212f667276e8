import { packetCipher, type PacketCipher, rtcpHeaderBytes } from './packet-cipher.ts'
import type { ProfileName } from './profiles.ts'
import { ReplayWindow } from './replay-window.ts'

const rtpHeaderBytes = 12
/** A party that starts a new stream takes another name for it; what comes under more names than these is not heard. */
const mostSources = 1_000
const half = 2 ** 15
const whole = 2 ** 16

/** As SDP and DTLS agree on it: a master key and its salt in base64. */
export interface MasterKey {
  profile: ProfileName
  key: string
  /** How many bytes of its packets name the key. */
  mkiBytes?: number
}

const cipherOf = ({ profile, key, mkiBytes }: MasterKey) =>
  packetCipher(profile, Buffer.from(key, 'base64'), mkiBytes)

/** Whether a packet that shares its port with sound is RTCP (RFC 5761). */
export const isRtcp = (packet: Uint8Array) => (packet[1] ?? 0) >= 192 && (packet[1] ?? 0) <= 223

/** Of RTP, with its extension; undefined for what is no RTP. */
function headerBytesOf(bytes: Buffer): number | undefined {
  const first = bytes[0] ?? 0
  if (bytes.length < rtpHeaderBytes || first >> 6 !== 2) return undefined
  const fixed = rtpHeaderBytes + 4 * (first & 0x0f)
  if (!(first & 0x10)) return bytes.length < fixed ? undefined : fixed
  if (bytes.length < fixed + 4) return undefined
  const end = fixed + 4 + 4 * bytes.readUInt16BE(fixed + 2)
  return bytes.length < end ? undefined : end
}

/** Encrypts what one party sends; the packets of each of its sources are in order. */
export class SrtpSender {
  readonly #cipher: PacketCipher
  /** By source; a count that began again would use a key twice. */
  readonly #counts = new Map<number, { rollover: number; sequence: number }>()
  #rtcpIndex = 0

  constructor(key: MasterKey) {
    this.#cipher = cipherOf(key)
  }

  seal(packet: Buffer): Buffer | undefined {
    if (isRtcp(packet)) return this.#sealRtcp(packet)
    const headerBytes = headerBytesOf(packet)
    if (headerBytes === undefined) return undefined
    const [ssrc, sequence] = [packet.readUInt32BE(8), packet.readUInt16BE(2)]
    const before = this.#counts.get(ssrc) ?? { rollover: 0, sequence: 0 }
    const rollover = before.rollover + (sequence < before.sequence ? 1 : 0)
    this.#counts.set(ssrc, { rollover, sequence })
    return this.#cipher.sealRtp(packet, headerBytes, rollover)
  }

  #sealRtcp(packet: Buffer): Buffer | undefined {
    if (packet.length < rtcpHeaderBytes) return undefined
    this.#rtcpIndex += 1
    return this.#cipher.sealRtcp(packet, this.#rtcpIndex)
  }
}

/** Decrypts what another party sends; a packet that is not theirs, or came before, is none. */
export class SrtpReceiver {
  readonly #cipher: PacketCipher
  readonly #rtp = new Map<number, ReplayWindow>()
  readonly #rtcp = new Map<number, ReplayWindow>()

  constructor(key: MasterKey) {
    this.#cipher = cipherOf(key)
  }

  open(bytes: Buffer): Buffer | undefined {
    return isRtcp(bytes) ? this.#openRtcp(bytes) : this.#openRtp(bytes)
  }

  #openRtp(bytes: Buffer): Buffer | undefined {
    const headerBytes = headerBytesOf(bytes)
    if (headerBytes === undefined) return undefined
    const [ssrc, sequence] = [bytes.readUInt32BE(8), bytes.readUInt16BE(2)]
    const window = this.#rtp.get(ssrc)
    for (const rollover of rolloversOf(sequence, window?.highest)) {
      const index = rollover * whole + sequence
      if (window && !window.isFresh(index)) continue
      const packet = this.#cipher.openRtp(bytes, headerBytes, rollover)
      if (!packet) continue
      return remember(this.#rtp, ssrc, index) ? packet : undefined
    }
    return undefined
  }

  #openRtcp(bytes: Buffer): Buffer | undefined {
    if (bytes.length < rtcpHeaderBytes) return undefined
    const opened = this.#cipher.openRtcp(bytes)
    if (!opened) return undefined
    const ssrc = bytes.readUInt32BE(4)
    if (this.#rtcp.get(ssrc)?.isFresh(opened.index) === false) return undefined
    return remember(this.#rtcp, ssrc, opened.index) ? opened.packet : undefined
  }
}

/** How often the sequence may have begun anew at this packet; one whose beginning was lost may have done so once. */
function rolloversOf(sequence: number, highest: number | undefined): readonly number[] {
  if (highest === undefined) return sequence < half ? [0, 1] : [0]
  const [rollover, last] = [Math.floor(highest / whole), highest % whole]
  if (last < half && sequence - last > half) return rollover === 0 ? [] : [rollover - 1]
  return last >= half && last - half > sequence ? [rollover + 1] : [rollover]
}

/** Called once a packet was authentic, so that no forged one takes a place; false if there is none left. */
function remember(windows: Map<number, ReplayWindow>, ssrc: number, index: number): boolean {
  const window = windows.get(ssrc) ?? new ReplayWindow()
  if (!windows.has(ssrc) && windows.size >= mostSources) return false
  windows.set(ssrc, window)
  window.add(index)
  return true
}
