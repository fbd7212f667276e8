import type { Headers, SipMessage } from './message.ts'
import { readNameAddress, readUri, readVia, splitOutside } from './syntax.ts'

/** What a message may measure at most; whatever is larger is no SIP. */
export const limits = {
  messageBytes: 65_535,
  startLineChars: 2_048,
  headerChars: 8_192,
  headers: 256,
  vias: 70,
  bodyBytes: 32_768,
} as const

/** It is no SIP message, and nothing is answered to it. */
export class MalformedMessage extends Error {}

const compact: Record<string, string> = {
  i: 'call-id',
  m: 'contact',
  e: 'content-encoding',
  l: 'content-length',
  c: 'content-type',
  f: 'from',
  s: 'subject',
  k: 'supported',
  t: 'to',
  v: 'via',
  o: 'event',
  r: 'refer-to',
  b: 'referred-by',
  u: 'allow-events',
  x: 'session-expires',
}

/** Written as one header or as several, they mean the same. */
const lists = new Set(['via', 'route', 'record-route', 'contact'])
const single = new Set(['from', 'to', 'call-id', 'cseq', 'content-length', 'max-forwards'])

const token = /^[A-Za-z0-9!%*_+`'~.-]+$/

export interface Head {
  startLine: string
  headers: Headers
  /** Where the body begins. */
  end: number
}

/** Reads the head at the front of the bytes; null when it is not all there yet. */
export function readHead(bytes: Buffer): Head | null {
  let start = 0
  while (bytes[start] === 13 && bytes[start + 1] === 10) start += 2
  const end = bytes.indexOf('\r\n\r\n', start)
  if (end === -1) {
    if (bytes.length > limits.messageBytes) throw new MalformedMessage('the head is too long')
    return null
  }
  const text = bytes.toString('utf8', start, end)
  // Lines that begin with a blank continue the one before.
  const [startLine = '', ...lines] = text.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')
  if (startLine.length > limits.startLineChars) throw new MalformedMessage('the first line is too long')
  if (lines.length > limits.headers) throw new MalformedMessage('too many headers')
  const headers = lines.flatMap(readHeader)
  if (headers.length > limits.headers) throw new MalformedMessage('too many headers')
  return { startLine, headers, end: end + 4 }
}

function readHeader(line: string): [string, string][] {
  if (line.length > limits.headerChars) throw new MalformedMessage('a header is too long')
  const colon = line.indexOf(':')
  const written = line.slice(0, Math.max(colon, 0)).trimEnd().toLowerCase()
  const value = line.slice(colon + 1).trim()
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (!token.test(written) || /[\x00-\x08\x0a-\x1f\x7f]/.test(value))
    throw new MalformedMessage('a line is no header')
  const name = compact[written] ?? written
  return lists.has(name) ? splitOutside(value, ',').map((part) => [name, part]) : [[name, value]]
}

/** How long the head says its body is; null if it does not. */
export function bodyLength({ headers }: Head): number | null {
  const said = headers.find(([name]) => name === 'content-length')?.[1]
  if (said === undefined) return null
  if (!/^\d{1,9}$/.test(said)) throw new MalformedMessage('Content-Length is no number')
  return Number(said)
}

/** One datagram. */
export function parseMessage(bytes: Buffer): SipMessage {
  if (bytes.length > limits.messageBytes) throw new MalformedMessage('the message is too long')
  const head = readHead(bytes)
  if (!head) throw new MalformedMessage('the head does not end')
  const body = bytes.subarray(head.end)
  const length = bodyLength(head) ?? body.length
  return makeMessage(head, body.subarray(0, length), length > body.length ? 'The body is cut short' : null)
}

export function makeMessage(head: Head, body: Buffer, fault: string | null): SipMessage {
  if (body.length > limits.bodyBytes) throw new MalformedMessage('the body is too long')
  const { headers, startLine } = head
  const named = (name: string) => headers.filter(([found]) => found === name).map(([, value]) => value)
  const [vias, from, to] = [
    named('via'),
    readNameAddress(named('from')[0] ?? ''),
    readNameAddress(named('to')[0] ?? ''),
  ]
  const via = readVia(vias[0] ?? '')
  const callId = named('call-id')[0] ?? ''
  const cseq = /^(\d{1,10})\s+(\S{1,32})$/.exec(named('cseq')[0] ?? '')
  const number = Number(cseq?.[1])
  if (!via || !from || !to || !cseq?.[2] || number >= 2 ** 32 || !/^\S{1,256}$/.test(callId))
    throw new MalformedMessage('Via, From, To, Call-ID or CSeq is missing or no such header')
  if (vias.length > limits.vias) throw new MalformedMessage('too many Via')
  const parsed = {
    headers,
    body: body.toString('utf8'),
    via,
    from,
    to,
    callId,
    cseq: { number, method: cseq[2] },
  }
  const answer = /^SIP\/2\.0 ([1-6]\d\d)(?: (.*))?$/.exec(startLine)
  if (answer) return { ...parsed, status: Number(answer[1]), reason: answer[2] ?? '' }
  const asked = /^([A-Za-z0-9.!%*_+`'~-]{1,32}) +(\S+) +SIP\/(\d+\.\d+)$/.exec(startLine)
  const [, method, uri, version] = asked ?? []
  if (!method || !uri) throw new MalformedMessage('the first line is neither a request nor a response')
  const doubled = [...single].find((name) => named(name).length > 1)
  return {
    ...parsed,
    method,
    uri,
    fault:
      fault ??
      (doubled ? `Two ${doubled}` : null) ??
      (version === '2.0' ? null : 'Version Not Supported') ??
      (method === parsed.cseq.method ? null : 'CSeq names another method') ??
      (vias.every((value) => readVia(value)) ? null : 'A Via is malformed') ??
      (readUri(from.uri) || /^[a-z][a-z0-9+.-]*:/i.test(from.uri) ? null : 'From is no address'),
  }
}
