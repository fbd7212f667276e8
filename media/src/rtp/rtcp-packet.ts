/** Of SR, RR, SDES and BYE (RFC 3550). */
const types = { senderReport: 200, receiverReport: 201, description: 202, goodbye: 203 } as const
const cnameItem = 1
const blockBytes = 24
const senderBytes = 20
/** No network carries more in one datagram, and no phone has so much to say. */
const longest = 1500

/** How one end hears a source of the other. */
export interface ReportBlock {
  ssrc: number
  /** Of what was expected since the last report: 0 to 1. */
  fractionLost: number
  /** Since the beginning; packets that came twice may make it negative. */
  lost: number
  /** The highest sequence number, with its rounds counted. */
  highest: number
  /** In ticks of the source's clock. */
  jitter: number
  /** The middle of the time of the last sender report, 0 if none came. */
  lastReport: number
  /** Since that report, in 1/65536 s. */
  delay: number
}

/** What one end says of its sending. */
export interface SenderInfo {
  /** Seconds since 1900 in 32 bits, and their fraction in 32 more. */
  ntp: [seconds: number, fraction: number]
  timestamp: number
  packets: number
  octets: number
}

export interface Report {
  ssrc: number
  /** Of a sender report; null in a receiver report. */
  sender: SenderInfo | null
  blocks: ReportBlock[]
}

/** The middle 32 bits of a time, which a report answers with. */
export const middleOf = ([seconds, fraction]: SenderInfo['ntp']) =>
  (((seconds & 0xffff) << 16) | (fraction >>> 16)) >>> 0

/** Whether a packet on a port for sound is RTCP (RFC 5761). */
export const isRtcp = (bytes: Uint8Array) => {
  const [first = 0, second = 0] = bytes
  return first >> 6 === 2 && second >= 192 && second <= 223
}

/** The reports in a compound packet; undefined for what is none, however it is malformed (RFC 3550 A.2). */
export function readRtcp(bytes: Buffer): Report[] | undefined {
  if (bytes.length > longest || bytes.length % 4 !== 0) return undefined
  const reports: Report[] = []
  for (let at = 0; at < bytes.length;) {
    const [first = 0, type = 0] = bytes.subarray(at, at + 2)
    const isFirst = at === 0
    const isReport = type === types.senderReport || type === types.receiverReport
    if (at + 8 > bytes.length || first >> 6 !== 2 || (isFirst && !isReport)) return undefined
    const end = at + 4 * (bytes.readUInt16BE(at + 2) + 1)
    const isPadded = (first & 0x20) !== 0
    if (end > bytes.length || (isPadded && (isFirst || end < bytes.length))) return undefined
    if (isReport) {
      const report = readReport(bytes.subarray(at, end))
      if (!report) return undefined
      reports.push(report)
    }
    at = end
  }
  return reports.length > 0 ? reports : undefined
}

function readReport(bytes: Buffer): Report | undefined {
  const count = (bytes[0] ?? 0) & 0x1f
  const isSender = bytes[1] === types.senderReport
  const begin = 8 + (isSender ? senderBytes : 0)
  if (begin + count * blockBytes > bytes.length) return undefined
  return {
    ssrc: bytes.readUInt32BE(4),
    sender: isSender
      ? {
          ntp: [bytes.readUInt32BE(8), bytes.readUInt32BE(12)],
          timestamp: bytes.readUInt32BE(16),
          packets: bytes.readUInt32BE(20),
          octets: bytes.readUInt32BE(24),
        }
      : null,
    blocks: Array.from({ length: count }, (_, place) => readBlock(bytes, begin + place * blockBytes)),
  }
}

const readBlock = (bytes: Buffer, at: number): ReportBlock => ({
  ssrc: bytes.readUInt32BE(at),
  fractionLost: bytes.readUInt8(at + 4) / 256,
  lost: bytes.readIntBE(at + 5, 3),
  highest: bytes.readUInt32BE(at + 8),
  jitter: bytes.readUInt32BE(at + 12),
  lastReport: bytes.readUInt32BE(at + 16),
  delay: bytes.readUInt32BE(at + 20),
})

/** A report with the name of its source, and a goodbye if it is the last. */
export function writeRtcp(report: Report, cname: string, isLast: boolean): Buffer {
  return Buffer.concat([
    writeReport(report),
    writeName(report.ssrc, cname),
    ...(isLast ? [packet(types.goodbye, 1, number32(report.ssrc))] : []),
  ])
}

function writeReport({ ssrc, sender, blocks }: Report): Buffer {
  const parts = [number32(ssrc)]
  if (sender) parts.push(...[...sender.ntp, sender.timestamp, sender.packets, sender.octets].map(number32))
  parts.push(...blocks.map(writeBlock))
  return packet(sender ? types.senderReport : types.receiverReport, blocks.length, ...parts)
}

function writeBlock(block: ReportBlock): Buffer {
  const bytes = Buffer.alloc(blockBytes)
  bytes.writeUInt32BE(block.ssrc)
  bytes.writeUInt8(Math.min(255, Math.max(0, Math.floor(block.fractionLost * 256))), 4)
  bytes.writeIntBE(Math.min(0x7f_ff_ff, Math.max(-0x80_00_00, block.lost)), 5, 3)
  for (const [place, value] of [block.highest, block.jitter, block.lastReport, block.delay].entries())
    bytes.writeUInt32BE(value >>> 0, 8 + 4 * place)
  return bytes
}

/** Ended by at least one zero, and filled up to 32 bits. */
function writeName(ssrc: number, cname: string): Buffer {
  const name = Buffer.from(cname)
  const items = Buffer.concat([Buffer.of(cnameItem, name.length), name])
  const filled = Buffer.alloc(4 * Math.ceil((items.length + 1) / 4))
  items.copy(filled)
  return packet(types.description, 1, number32(ssrc), filled)
}

function packet(type: number, count: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  const head = Buffer.of(0x80 | count, type, 0, 0)
  head.writeUInt16BE(body.length / 4, 2)
  return Buffer.concat([head, body])
}

function number32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value >>> 0)
  return bytes
}
