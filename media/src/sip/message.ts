import type { NameAddress, Via } from './syntax.ts'

/** Headers in their order; names in lower case and in full. */
export type Headers = readonly (readonly [name: string, value: string])[]

interface Parsed {
  headers: Headers
  body: string
  /** The topmost. */
  via: Via
  from: NameAddress
  to: NameAddress
  callId: string
  cseq: { number: number; method: string }
}

export interface SipRequest extends Parsed {
  method: string
  uri: string
  /** Why it deserves a 400, if it can be answered at all. */
  fault: string | null
}

export interface SipResponse extends Parsed {
  status: number
  reason: string
}

export type SipMessage = SipRequest | SipResponse

export const isRequest = (message: SipMessage): message is SipRequest => 'method' in message

export const header = (message: { headers: Headers }, name: string): string | undefined =>
  message.headers.find(([found]) => found === name)?.[1]

/** Every value of a header that may be written as a list. */
export const headersOf = (message: { headers: Headers }, name: string): string[] =>
  message.headers.filter(([found]) => found === name).map(([, value]) => value)

/** Words of lists such as Supported, in lower case. */
export const wordsOf = (message: { headers: Headers }, name: string): string[] =>
  headersOf(message, name).flatMap((value) =>
    value
      .split(',')
      .map((word) => word.trim().toLowerCase())
      .filter((word) => word !== ''),
  )

const known = new Set(['timer', '100rel'])

/** What a request insists on that is not known here, as it is answered; null if there is nothing. */
export function unknownIn(request: { headers: Headers }): readonly [string, string] | null {
  const unknown = wordsOf(request, 'require').filter((word) => !known.has(word))
  return unknown.length > 0 ? ['unsupported', unknown.join(', ')] : null
}

export const reasons: Record<number, string> = {
  100: 'Trying',
  180: 'Ringing',
  183: 'Session Progress',
  200: 'OK',
  202: 'Accepted',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  415: 'Unsupported Media Type',
  416: 'Unsupported URI Scheme',
  420: 'Bad Extension',
  422: 'Session Interval Too Small',
  480: 'Temporarily Unavailable',
  481: 'Call/Transaction Does Not Exist',
  482: 'Loop Detected',
  486: 'Busy Here',
  487: 'Request Terminated',
  488: 'Not Acceptable Here',
  489: 'Bad Event',
  491: 'Request Pending',
  500: 'Server Internal Error',
  503: 'Service Unavailable',
  504: 'Server Time-out',
  505: 'Version Not Supported',
  600: 'Busy Everywhere',
  603: 'Decline',
}

/** One message as bytes; Content-Length is said here. */
export function writeMessage(startLine: string, headers: Headers, body = ''): Buffer {
  const lines = [startLine]
  for (const [name, value] of headers) {
    if (/[\r\n\0]/.test(value)) throw new Error(`a line break in the SIP header ${name}`)
    lines.push(`${cased(name)}: ${value}`)
  }
  lines.push(`Content-Length: ${Buffer.byteLength(body)}`, '', body)
  return Buffer.from(lines.join('\r\n'))
}

export const writeRequest = (method: string, uri: string, headers: Headers, body = ''): Buffer => {
  if (/[\s<>]/.test(uri) || !/^[A-Z]+$/.test(method)) throw new Error(`no SIP address: ${uri}`)
  return writeMessage(`${method} ${uri} SIP/2.0`, headers, body)
}

const spelled: Record<string, string> = {
  'call-id': 'Call-ID',
  cseq: 'CSeq',
  rack: 'RAck',
  rseq: 'RSeq',
  'www-authenticate': 'WWW-Authenticate',
}

const cased = (name: string): string =>
  spelled[name] ??
  name.replaceAll(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase())
