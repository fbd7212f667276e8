import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto'
import { type ProfileName, profiles } from './profiles.ts'
import { type SessionKeys, sessionKeys } from './session-keys.ts'

export const rtcpHeaderBytes = 8
const rtcpIndexBytes = 4
const encrypted = 0x8000_0000

/** Protects single packets; which number a packet has is for the caller to know. */
export interface PacketCipher {
  sealRtp(packet: Buffer, headerBytes: number, rollover: number): Buffer
  /** The packet as it was before; undefined if it is not authentic. */
  openRtp(bytes: Buffer, headerBytes: number, rollover: number): Buffer | undefined
  sealRtcp(packet: Buffer, index: number): Buffer
  openRtcp(bytes: Buffer): { packet: Buffer; index: number } | undefined
}

/** With a master key and its salt behind it; packets that come have so many bytes of a key's name (MKI) in them. */
export function packetCipher(profile: ProfileName, master: Buffer, mkiBytes = 0): PacketCipher {
  const { mode, keyBytes, tagBytes, rtcpTagBytes } = profiles[profile]
  const parts = {
    algorithm: `aes-${keyBytes * 8}-${mode === 'gcm' ? 'gcm' : 'ctr'}`,
    rtp: sessionKeys(profile, master, 'rtp'),
    rtcp: sessionKeys(profile, master, 'rtcp'),
    tagBytes,
    rtcpTagBytes,
    mkiBytes,
  }
  return mode === 'gcm' ? new GcmCipher(parts) : new CounterCipher(parts)
}

interface CipherParts {
  algorithm: string
  rtp: SessionKeys
  rtcp: SessionKeys
  tagBytes: number
  rtcpTagBytes: number
  mkiBytes: number
}

/** AES in counter mode, and HMAC-SHA1 (RFC 3711). */
class CounterCipher implements PacketCipher {
  readonly #parts: CipherParts

  constructor(parts: CipherParts) {
    this.#parts = parts
  }

  sealRtp(packet: Buffer, headerBytes: number, rollover: number): Buffer {
    const { rtp, tagBytes } = this.#parts
    const sealed = this.#turned(packet, headerBytes, rtp, packet.readUInt32BE(8), [
      rollover,
      packet.readUInt16BE(2),
    ])
    return Buffer.concat([sealed, tagOf(rtp, [sealed, uint32(rollover)], tagBytes)])
  }

  openRtp(bytes: Buffer, headerBytes: number, rollover: number): Buffer | undefined {
    const { rtp, tagBytes, mkiBytes } = this.#parts
    const end = bytes.length - tagBytes - mkiBytes
    if (end < headerBytes) return undefined
    const sealed = bytes.subarray(0, end)
    const tag = tagOf(rtp, [sealed, uint32(rollover)], tagBytes)
    if (!timingSafeEqual(tag, bytes.subarray(end + mkiBytes))) return undefined
    return this.#turned(sealed, headerBytes, rtp, bytes.readUInt32BE(8), [rollover, bytes.readUInt16BE(2)])
  }

  sealRtcp(packet: Buffer, index: number): Buffer {
    const { rtcp, rtcpTagBytes } = this.#parts
    const turned = this.#turned(packet, rtcpHeaderBytes, rtcp, packet.readUInt32BE(4), rtcpNumber(index))
    const sealed = Buffer.concat([turned, uint32(index | encrypted)])
    return Buffer.concat([sealed, tagOf(rtcp, [sealed], rtcpTagBytes)])
  }

  openRtcp(bytes: Buffer): { packet: Buffer; index: number } | undefined {
    const { rtcp, rtcpTagBytes, mkiBytes } = this.#parts
    const end = bytes.length - rtcpTagBytes - mkiBytes
    if (end < rtcpHeaderBytes + rtcpIndexBytes) return undefined
    const tag = tagOf(rtcp, [bytes.subarray(0, end)], rtcpTagBytes)
    if (!timingSafeEqual(tag, bytes.subarray(end + mkiBytes))) return undefined
    const said = bytes.readUInt32BE(end - rtcpIndexBytes)
    if (said < encrypted) return undefined // in the clear, which was never agreed on
    const index = said - encrypted
    const sealed = bytes.subarray(0, end - rtcpIndexBytes)
    const ssrc = bytes.readUInt32BE(4)
    return { packet: this.#turned(sealed, rtcpHeaderBytes, rtcp, ssrc, rtcpNumber(index)), index }
  }

  /** Encrypts, and decrypts. */
  #turned(
    packet: Buffer,
    from: number,
    { key, salt }: SessionKeys,
    ssrc: number,
    number: PacketNumber,
  ): Buffer {
    const start = Buffer.alloc(16)
    salt.copy(start)
    mixIn(start, 4, ssrc, number)
    const cipher = createCipheriv(this.#parts.algorithm, key, start)
    return Buffer.concat([packet.subarray(0, from), cipher.update(packet.subarray(from))])
  }
}

/** AES in Galois/Counter Mode, which authenticates by itself (RFC 7714). */
class GcmCipher implements PacketCipher {
  readonly #parts: CipherParts

  constructor(parts: CipherParts) {
    this.#parts = parts
  }

  sealRtp(packet: Buffer, headerBytes: number, rollover: number): Buffer {
    const { rtp } = this.#parts
    const start = gcmStart(rtp, packet.readUInt32BE(8), [rollover, packet.readUInt16BE(2)])
    const header = packet.subarray(0, headerBytes)
    return Buffer.concat([header, this.#seal(rtp, start, header, packet.subarray(headerBytes))])
  }

  openRtp(bytes: Buffer, headerBytes: number, rollover: number): Buffer | undefined {
    const { rtp, mkiBytes } = this.#parts
    const start = gcmStart(rtp, bytes.readUInt32BE(8), [rollover, bytes.readUInt16BE(2)])
    const header = bytes.subarray(0, headerBytes)
    const sealed = bytes.subarray(headerBytes, Math.max(headerBytes, bytes.length - mkiBytes))
    const opened = this.#open(rtp, start, header, sealed)
    return opened && Buffer.concat([header, opened])
  }

  sealRtcp(packet: Buffer, index: number): Buffer {
    const { rtcp } = this.#parts
    const header = packet.subarray(0, rtcpHeaderBytes)
    const said = uint32(index | encrypted)
    const start = gcmStart(rtcp, packet.readUInt32BE(4), rtcpNumber(index))
    const authentic = Buffer.concat([header, said])
    return Buffer.concat([header, this.#seal(rtcp, start, authentic, packet.subarray(rtcpHeaderBytes)), said])
  }

  openRtcp(bytes: Buffer): { packet: Buffer; index: number } | undefined {
    const { rtcp, mkiBytes } = this.#parts
    const end = bytes.length - mkiBytes - rtcpIndexBytes
    if (end < rtcpHeaderBytes) return undefined
    const said = bytes.readUInt32BE(end)
    if (said < encrypted) return undefined // in the clear, which was never agreed on
    const index = said - encrypted
    const header = bytes.subarray(0, rtcpHeaderBytes)
    const start = gcmStart(rtcp, bytes.readUInt32BE(4), rtcpNumber(index))
    const authentic = Buffer.concat([header, uint32(said)])
    const opened = this.#open(rtcp, start, authentic, bytes.subarray(rtcpHeaderBytes, end))
    return opened && { packet: Buffer.concat([header, opened]), index }
  }

  #seal({ key }: SessionKeys, start: Buffer, authentic: Buffer, plain: Buffer): Buffer {
    const cipher = createCipheriv(this.#algorithm, key, start).setAAD(authentic)
    const sealed = cipher.update(plain)
    cipher.final()
    return Buffer.concat([sealed, cipher.getAuthTag()])
  }

  #open({ key }: SessionKeys, start: Buffer, authentic: Buffer, sealed: Buffer): Buffer | undefined {
    const end = sealed.length - this.#parts.tagBytes
    if (end < 0) return undefined
    const options = { authTagLength: this.#parts.tagBytes }
    const cipher = createDecipheriv(this.#algorithm, key, start, options).setAAD(authentic)
    cipher.setAuthTag(sealed.subarray(end))
    const opened = cipher.update(sealed.subarray(0, end))
    try {
      cipher.final()
      return opened
    } catch {
      return undefined
    }
  }

  // the types of node:crypto know a cipher that authenticates by its name alone
  get #algorithm(): 'aes-128-gcm' {
    return this.#parts.algorithm as 'aes-128-gcm'
  }
}

/** The upper 32 and the lower 16 bits. */
type PacketNumber = readonly [number, number]

const rtcpNumber = (index: number): PacketNumber => [Math.floor(index / 2 ** 16), index % 2 ** 16]

function gcmStart({ salt }: SessionKeys, ssrc: number, number: PacketNumber): Buffer {
  const start = Buffer.from(salt)
  mixIn(start, 2, ssrc, number)
  return start
}

/** The source's name and behind it the packet's number. */
function mixIn(start: Buffer, at: number, ssrc: number, [upper, lower]: PacketNumber): void {
  start.writeUInt32BE((start.readUInt32BE(at) ^ ssrc) >>> 0, at)
  start.writeUInt32BE((start.readUInt32BE(at + 4) ^ upper) >>> 0, at + 4)
  start.writeUInt16BE(start.readUInt16BE(at + 8) ^ lower, at + 8)
}

function tagOf({ authKey }: SessionKeys, pieces: readonly Buffer[], tagBytes: number): Buffer {
  const hmac = createHmac('sha1', authKey)
  for (const piece of pieces) hmac.update(piece)
  return hmac.digest().subarray(0, tagBytes)
}

function uint32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4)
  bytes.writeUInt32BE(value >>> 0)
  return bytes
}
