const headerBytes = 12

export interface RtpPacket {
  payloadType: number
  isMarked: boolean
  sequence: number
  timestamp: number
  ssrc: number
  payload: Uint8Array
}

/** Undefined for what is no RTP, however it is malformed. */
export function readRtp(bytes: Buffer): RtpPacket | undefined {
  const [first, second] = bytes
  if (first === undefined || second === undefined || bytes.length < headerBytes || first >> 6 !== 2)
    return undefined
  if (second >= 192 && second <= 223) return undefined // RTCP on the same port
  let begin = headerBytes + 4 * (first & 0x0f)
  if (first & 0x10) {
    if (bytes.length < begin + 4) return undefined
    begin += 4 + 4 * bytes.readUInt16BE(begin + 2)
  }
  const padding = first & 0x20 ? (bytes.at(-1) ?? 0) : 0
  if (begin + padding > bytes.length) return undefined
  return {
    payloadType: second & 0x7f,
    isMarked: (second & 0x80) !== 0,
    sequence: bytes.readUInt16BE(2),
    timestamp: bytes.readUInt32BE(4),
    ssrc: bytes.readUInt32BE(8),
    payload: bytes.subarray(begin, bytes.length - padding),
  }
}

/** The header, and room for the payload behind it. */
export function newRtp(packet: Omit<RtpPacket, 'payload'>, payloadBytes: number): Buffer {
  const bytes = Buffer.allocUnsafe(headerBytes + payloadBytes)
  bytes[0] = 0x80
  bytes[1] = (packet.isMarked ? 0x80 : 0) | packet.payloadType
  bytes.writeUInt16BE(packet.sequence, 2)
  bytes.writeUInt32BE(packet.timestamp, 4)
  bytes.writeUInt32BE(packet.ssrc, 8)
  return bytes
}

export const payloadIn = (packet: Buffer) => packet.subarray(headerBytes)
