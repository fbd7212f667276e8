/** What a refusal says to a person. The carrier's own words are written beside it. */
const words: Readonly<Record<number, string>> = {
  300: 'the number has several addresses now',
  301: 'the number has moved',
  302: 'the number is forwarded elsewhere',
  305: 'the carrier wants another proxy to be used',
  380: 'the carrier offers another service in place of the call',
  400: 'the carrier could not read the request',
  401: 'the carrier wants other credentials',
  402: 'the carrier wants to be paid first',
  403: 'the carrier does not allow the call',
  404: 'the number was not found at the carrier',
  405: 'the carrier takes no such request',
  406: 'the far end takes none of the codecs that were offered',
  407: 'the carrier wants other credentials',
  408: 'there was no answer in time',
  410: 'the number is no longer in use',
  413: 'the carrier takes no request of this size',
  415: 'the far end takes none of the codecs that were offered',
  416: 'the carrier does not know this kind of address',
  420: 'the carrier lacks an extension of SIP that was asked for',
  421: 'the carrier demands an extension of SIP that is missing here',
  433: 'the far end takes no calls from withheld numbers',
  480: 'the phone cannot be reached now',
  481: 'the carrier does not know the call',
  482: 'the carrier sends the call in a circle',
  483: 'the carrier sends the call in a circle',
  484: 'the number is incomplete',
  485: 'the number is ambiguous',
  486: 'busy',
  487: 'the call was given up before it was answered',
  488: 'the far end takes none of the codecs that were offered',
  491: 'the far end is busy with another change of the call',
  493: 'the far end could not decrypt the request',
  494: 'the carrier demands a security agreement',
  500: 'the carrier has a fault',
  501: 'the carrier takes no such request',
  502: 'the carrier could not reach the next network',
  503: 'the carrier is overloaded or out of service',
  504: 'the next network did not answer the carrier in time',
  505: 'the carrier speaks another version of SIP',
  600: 'busy',
  603: 'declined',
  604: 'the number does not exist',
  606: 'the far end takes none of the codecs that were offered',
  607: 'the person called does not want this call',
  608: 'the carrier blocked the call as unwanted',
}

const ofClass: Readonly<Record<number, string>> = {
  3: 'the number is reached elsewhere',
  4: 'the carrier refused the call',
  5: 'the carrier has a fault',
  6: 'the far end refused the call',
}

/** Why a call was not put through, from the final answer to it. */
export const wordsOfSip = (status: number): string =>
  words[status] ?? ofClass[Math.floor(status / 100)] ?? 'the call failed'

/** The same with what the carrier itself said, such as `busy (486 Busy Here)`. */
export const sentenceOfSip = (status: number, reason: string, why = wordsOfSip(status)): string =>
  `${why} (${`${status} ${plainLine(reason)}`.trimEnd()})`

/** Text from outside as one short line. */
export const plainLine = (text: string, most = 200): string =>
  Array.from(text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim())
    .slice(0, most)
    .join('')

/** What is said of a REFER itself; the answers of the number that it names read as those of a dial. */
const referWords: Readonly<Record<number, string>> = {
  403: 'the carrier does not allow the transfer',
  404: 'the carrier does not know where to transfer the call',
  405: 'the carrier transfers no calls',
  420: 'the carrier transfers no calls',
  489: 'the carrier transfers no calls',
  500: 'the carrier could not transfer the call',
  501: 'the carrier transfers no calls',
  603: 'the carrier declined the transfer',
}

export const wordsOfRefer = (status: number): string => referWords[status] ?? wordsOfSip(status)

const untrusted = 'is not signed by a CA that is trusted: add it to the account'
const certificateFaults: Readonly<Record<string, string>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: 'does not match its name',
  CERT_HAS_EXPIRED: 'has expired',
  CERT_NOT_YET_VALID: 'is not valid yet',
  CERT_REVOKED: 'was revoked',
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  CERT_UNTRUSTED: untrusted,
  CERT_SIGNATURE_FAILURE: untrusted,
}

const connectionFaults: Readonly<Record<string, string>> = {
  ABORT_ERR: 'did not answer in time',
  ECONNREFUSED: 'takes no connections',
  ECONNRESET: 'closed the connection',
  EHOSTUNREACH: 'cannot be reached from here',
  ENETUNREACH: 'cannot be reached from here',
  EPROTO: 'speaks no TLS that fits',
  ETIMEDOUT: 'did not answer in time',
}

/** Why no connection to a host came about. */
export function wordsOfConnecting(host: string, failure: unknown): string {
  const code = codeOf(failure)
  const certificate = certificateFaults[code]
  if (certificate !== undefined) return `the certificate of ${host} ${certificate}`
  if (/ALERT_(CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE)$/.test(code))
    return `${host} ended the TLS handshake: it may ask for a client certificate, which the account can have`
  if (/ALERT_(UNKNOWN_CA|BAD_CERTIFICATE|CERTIFICATE_\w+|UNSUPPORTED_CERTIFICATE)$/.test(code))
    return `${host} does not accept the client certificate of the account`
  const isTls = code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')
  return `${host} ${connectionFaults[code] ?? (isTls ? 'speaks no TLS that fits' : 'cannot be reached')}`
}

function codeOf(failure: unknown): string {
  if (!(failure instanceof Error)) return ''
  if (failure.name === 'TimeoutError' || failure.name === 'AbortError') return 'ABORT_ERR'
  return 'code' in failure && typeof failure.code === 'string' ? failure.code : ''
}
