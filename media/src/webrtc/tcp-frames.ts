import { MediaError } from '../plane.ts'

/** No packet of sound, of a handshake or of a connectivity check is longer. */
const longestPacket = 2048

/** Packets over a stream: each after its length in two bytes (RFC 4571). */
export class FrameReader {
  #unread: Buffer = Buffer.alloc(0)

  /** The packets that are whole now; fails with a `MediaError` on one that is too long. */
  read(bytes: Buffer): Buffer[] {
    let unread = this.#unread.length > 0 ? Buffer.concat([this.#unread, bytes]) : bytes
    const packets: Buffer[] = []
    while (unread.length >= 2) {
      const length = unread.readUInt16BE()
      if (length > longestPacket) throw new MediaError(`a packet is longer than ${longestPacket} bytes`)
      if (unread.length < 2 + length) break
      packets.push(unread.subarray(2, 2 + length))
      unread = unread.subarray(2 + length)
    }
    this.#unread = unread
    return packets
  }
}

export function writeFrame(packet: Buffer): Buffer {
  const frame = Buffer.alloc(2 + packet.length)
  frame.writeUInt16BE(packet.length)
  packet.copy(frame, 2)
  return frame
}
