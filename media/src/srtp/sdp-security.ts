import type { Fingerprint } from './media-security.ts'
import { isProfile, keyBytesOf, type ProfileName } from './profiles.ts'
import type { MasterKey } from './srtp-contexts.ts'

/** A line `a=crypto` that we can use (RFC 4568). */
export interface CryptoLine extends MasterKey {
  tag: number
}

export type Setup = 'active' | 'passive' | 'actpass'

export interface DtlsLines {
  fingerprints: Fingerprint[]
  setup: Setup
}

/** What a far end says of the encryption of one line of sound. */
export interface SaidSecurity {
  /** Those that we can use, in its order. */
  cryptos: CryptoLine[]
  dtls: DtlsLines | null
}

const mostLines = 32
const hashBytes = { 'sha-256': 32, 'sha-384': 48, 'sha-512': 64 } as const

/** From the text of the session and of one line of sound, because a parser keeps less than all of it. */
export function readSecurity(session: string, media: string): SaidSecurity {
  const cryptos = valuesOf(media, 'crypto').flatMap((value) => readCrypto(value) ?? [])
  const said = (name: string) => {
    const own = valuesOf(media, name)
    return own.length > 0 ? own : valuesOf(session, name)
  }
  const fingerprints = said('fingerprint').flatMap((value) => readFingerprint(value) ?? [])
  const setup = said('setup')[0]?.toLowerCase() ?? 'actpass'
  const isSetUp = setup === 'active' || setup === 'passive' || setup === 'actpass'
  return { cryptos, dtls: fingerprints.length > 0 && isSetUp ? { fingerprints, setup } : null }
}

const valuesOf = (text: string, name: string): string[] =>
  text
    .split(/\r?\n/)
    .filter((line) => line.startsWith(`a=${name}:`))
    .slice(0, mostLines)
    .map((line) => line.slice(name.length + 3).trim())

/** Undefined if it is malformed, or asks for what we do not do. */
function readCrypto(value: string): CryptoLine | undefined {
  const [tag = '', suite = '', keys = '', ...parameters] = value.split(/\s+/)
  const profile = suite.toUpperCase()
  if (!/^\d{1,9}$/.test(tag) || !isProfile(profile)) return undefined
  // how many retransmissions are to be expected is the one that asks nothing of us
  if (!parameters.every((parameter) => /^WSH=\d+$/i.test(parameter))) return undefined
  const [, key = '', mki] =
    /^inline:([A-Za-z\d+/]{1,128}={0,2})(?:\|(?:2\^)?\d{1,20})?(?:\|\d{1,40}:(\d{1,3}))?$/i.exec(keys) ?? []
  if (Buffer.from(key, 'base64').length !== keyBytesOf(profile)) return undefined
  const mkiBytes = Number(mki ?? 0)
  if (mkiBytes > 128 || (mki !== undefined && mkiBytes === 0)) return undefined
  return { tag: Number(tag), profile, key, ...(mkiBytes > 0 && { mkiBytes }) }
}

export const writeCrypto = ({ tag, profile, key }: { tag: number; profile: ProfileName; key: string }) => ({
  id: tag,
  suite: profile,
  config: `inline:${key}`,
})

function readFingerprint(value: string): Fingerprint | undefined {
  const [name = '', digits = ''] = value.split(/\s+/)
  const algorithm = name.toLowerCase()
  if (algorithm !== 'sha-256' && algorithm !== 'sha-384' && algorithm !== 'sha-512') return undefined
  if (!/^[\da-f]{2}(:[\da-f]{2})*$/i.test(digits)) return undefined
  const hex = digits.replaceAll(':', '').toUpperCase()
  return hex.length === hashBytes[algorithm] * 2 ? { algorithm, value: hex } : undefined
}
