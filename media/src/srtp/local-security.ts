import { randomBytes } from 'node:crypto'
import { callCertificate, fingerprintOf } from './certificate.ts'
import { chooseSound, type FarSecurity, type SoundLine } from './chosen-sound.ts'
import type { CallCertificate, Encryption, MediaSecurity } from './media-security.ts'
import { keyBytesOf, type ProfileName } from './profiles.ts'
import { type CryptoLine, type DtlsLines, writeCrypto } from './sdp-security.ts'

/** The one that everybody knows comes first. */
const offeredProfiles = ['AES_CM_128_HMAC_SHA1_80', 'AEAD_AES_128_GCM', 'AES_CM_128_HMAC_SHA1_32'] as const

/** What an offer may say, one after the other if it is not acceptable to the far end. */
const formsOf = {
  off: ['RTP/AVP'],
  // What a far end does not know of such a line it ignores, and answers in the clear.
  offered: ['RTP/AVP', 'RTP/SAVP', 'UDP/TLS/RTP/SAVP'],
  required: ['RTP/SAVP', 'UDP/TLS/RTP/SAVP'],
} as const

/** What a line of sound says of its encryption, as SDP is written. */
export interface SecurityLines {
  protocol: string
  crypto?: ReturnType<typeof writeCrypto>[]
  fingerprint?: { type: 'sha-256'; hash: string }
  setup?: 'active' | 'passive' | 'actpass'
}

/** Our side of a call's encryption: what is offered, taken and refused, and our keys. */
export class LocalSecurity {
  readonly #encryption: Encryption | undefined
  readonly #forms: readonly string[]
  #form = 0
  /** In our last offer. */
  #offered: CryptoLine[] = []
  #isHandshakeOffered = false
  /** Our key, and the one of theirs that it is for. */
  #key: { theirs: string; ours: CryptoLine } | undefined
  #certificate: CallCertificate | undefined
  #role: { of: string; role: 'client' | 'server' } | undefined

  constructor(encryption: Encryption | undefined) {
    this.#encryption = encryption
    this.#forms = formsOf[encryption ?? 'off']
  }

  /** What an offer of ours did not find accepted is said in another form from now on; false if there is none. */
  nextForm(): boolean {
    if (this.#form + 1 >= this.#forms.length) return false
    this.#form += 1
    return true
  }

  offer(): SecurityLines {
    const protocol = this.#forms[this.#form] ?? 'RTP/AVP'
    this.#isHandshakeOffered = this.#forms.length > 1
    if (!this.#isHandshakeOffered) return { protocol }
    if (protocol === 'UDP/TLS/RTP/SAVP') return { protocol, ...this.#shaken('actpass') }
    if (this.#offered.length !== offeredProfiles.length)
      this.#offered = offeredProfiles.map((profile, at) => newLine(profile, at + 1))
    return { protocol, crypto: this.#offered.map(writeCrypto), ...this.#shaken('actpass') }
  }

  /** An offer of ours that says again what is agreed on. */
  agreed(protocol: string, far: FarSecurity | null): SecurityLines {
    this.#offered = []
    this.#isHandshakeOffered = far?.kind === 'dtls'
    if (!far) return { protocol }
    if (far.kind === 'dtls') return { protocol, ...this.#shaken('actpass') }
    this.#offered = [this.#keyFor(far.crypto)]
    return { protocol, crypto: this.#offered.map(writeCrypto) }
  }

  answer(protocol: string, far: FarSecurity | null): SecurityLines {
    if (!far) return { protocol }
    if (far.kind === 'dtls')
      return { protocol, ...this.#shaken(this.#roleFor(far) === 'client' ? 'active' : 'passive') }
    return { protocol, crypto: [writeCrypto(this.#keyFor(far.crypto))] }
  }

  chooseOffered<T extends SoundLine>(lines: readonly T[]) {
    return chooseSound(lines, this.#encryption)
  }

  /** Of an answer to our offer: a key of theirs is for one of ours. */
  chooseAnswered<T extends SoundLine>(lines: readonly T[]) {
    const known = lines.map((line) => {
      const cryptos = line.said.cryptos.filter((theirs) => this.#offeredFor(theirs))
      return { ...line, said: { cryptos, dtls: this.#isHandshakeOffered ? line.said.dtls : null } }
    })
    const chosen = chooseSound(known, this.#encryption)
    if (typeof chosen === 'string' || chosen.security?.kind !== 'sdes') return chosen
    const { crypto } = chosen.security
    const ours = this.#offeredFor(crypto)
    if (ours) this.#key = { theirs: nameOf(crypto), ours }
    return chosen
  }

  /** Undefined for sound in the clear; while the far end has said nothing, no sound goes either way if it may have to be encrypted. */
  agreedWith(far: FarSecurity | null | undefined): MediaSecurity | undefined {
    if (far === undefined) return this.#forms.length === 1 ? undefined : { kind: 'awaited' }
    if (far === null) return undefined
    if (far.kind === 'sdes') {
      const { tag: _, ...receive } = far.crypto
      const { tag: __, ...send } = this.#keyFor(far.crypto)
      return { kind: 'sdes', send, receive }
    }
    const { fingerprints } = far
    return { kind: 'dtls', role: this.#roleFor(far), fingerprints, certificate: this.#own() }
  }

  #offeredFor({ tag, profile }: CryptoLine): CryptoLine | undefined {
    return this.#offered.find((ours) => ours.tag === tag && ours.profile === profile)
  }

  /** Another key of theirs gets another of ours: no key is used twice, and both ends count from the beginning. */
  #keyFor(theirs: CryptoLine): CryptoLine {
    const name = nameOf(theirs)
    if (this.#key?.theirs !== name) this.#key = { theirs: name, ours: newLine(theirs.profile, theirs.tag) }
    return this.#key.ours
  }

  /** A far end behind address translation can reach us and not the other way round, so it begins if it leaves it to us. */
  #roleFor({ setup, fingerprints }: DtlsLines): 'client' | 'server' {
    const of = JSON.stringify(fingerprints)
    const before = this.#role?.of === of ? this.#role.role : 'server'
    const role = setup === 'actpass' ? before : setup === 'active' ? 'server' : 'client'
    this.#role = { of, role }
    return role
  }

  #shaken(setup: 'active' | 'passive' | 'actpass') {
    return { fingerprint: { type: 'sha-256', hash: fingerprintOf(this.#own()) }, setup } as const
  }

  #own(): CallCertificate {
    return (this.#certificate ??= callCertificate())
  }
}

const nameOf = ({ tag, profile, key }: CryptoLine) => `${tag} ${profile} ${key}`

const newLine = (profile: ProfileName, tag: number): CryptoLine => ({
  tag,
  profile,
  key: randomBytes(keyBytesOf(profile)).toString('base64'),
})
