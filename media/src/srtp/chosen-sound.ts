import type { Encryption } from './media-security.ts'
import type { CryptoLine, DtlsLines, SaidSecurity } from './sdp-security.ts'

/** How a far end has its sound encrypted. */
export type FarSecurity = { kind: 'sdes'; crypto: CryptoLine } | ({ kind: 'dtls' } & DtlsLines)

/** One line of sound in a far end's SDP. */
export interface SoundLine {
  protocol: string
  said: SaidSecurity
}

const clear = /^RTP\/AVPF?$/
const keyed = /^RTP\/SAVPF?$/
const shaken = /^UDP\/TLS\/RTP\/SAVPF?$/

export const isSoundProtocol = (protocol: string) =>
  clear.test(protocol) || keyed.test(protocol) || shaken.test(protocol)

/** The line to take, by its place, and what it is encrypted with: null for sound in the clear; else why none fits. */
export function chooseSound<T extends SoundLine>(
  lines: readonly T[],
  encryption: Encryption | undefined,
): { line: T; security: FarSecurity | null } | string {
  const plain = lines.find(({ protocol }) => clear.test(protocol))
  if (encryption === 'off') return plain ? { line: plain, security: null } : onlyEncrypted
  const isBestEffort = encryption !== undefined
  for (const line of lines) {
    const security = securityOf(line, isBestEffort)
    if (security) return { line, security }
    if (line === plain && !isBestEffort) return { line, security: null }
  }
  if (encryption === 'required') return plain ? inTheClear : noKey
  return plain ? { line: plain, security: null } : noKey
}

/** Some name keys for a line that may as well be in the clear; they count if encryption is wanted here too. */
function securityOf({ protocol, said }: SoundLine, isBestEffort: boolean): FarSecurity | null {
  const [crypto] = said.cryptos
  const isClear = clear.test(protocol)
  if (isClear && !isBestEffort) return null
  if (crypto && !shaken.test(protocol)) return { kind: 'sdes', crypto }
  return said.dtls ? { kind: 'dtls', ...said.dtls } : null
}

const onlyEncrypted =
  'its sound is encrypted, and encryption is off for this trunk: offer RTP/AVP, or set encryption to offered'
const inTheClear =
  'its sound is not encrypted, and encryption is required for this trunk: offer RTP/SAVP with a=crypto, or DTLS-SRTP'
const noKey =
  'it has no key for its encrypted sound: offer a=crypto with AES_CM_128_HMAC_SHA1_80, or a=fingerprint with SHA-256'
