import { createHash, createHmac, timingSafeEqual, verify, X509Certificate } from 'node:crypto'
import { isCertified } from './certificate.ts'
import type { Fingerprint } from './media-security.ts'

const randomBytes = 32
const verifyBytes = 12
const hashes: Readonly<Record<number, string>> = { 4: 'sha256', 5: 'sha384', 6: 'sha512' }
const keyTypes: Readonly<Record<number, string>> = { 1: 'rsa', 3: 'ec' }

const types = { serverHello: 2, certificate: 11, serverKey: 12, proofOfClient: 15, finished: 20 } as const

/** What the handshake's library knows when a message comes. */
export interface HandshakeState {
  /** Our random bytes, before the far end is known. */
  ourRandom: () => Buffer
  masterSecret: () => Buffer
  /** Every message so far, both sides' in order. */
  transcript: () => Buffer
}

/**
 * Whether the far end of a handshake has the key of the certificate whose fingerprint was signalled. The library takes
 * the certificate as it comes and checks no signature, so that whoever saw it once could show it again.
 */
export class HandshakeProof {
  readonly #role: 'client' | 'server'
  readonly #fingerprints: readonly Fingerprint[]
  readonly #state: HandshakeState
  #serverRandom: Buffer = Buffer.alloc(0)
  #certificate: X509Certificate | undefined
  #isSigned = false

  /** Whether a signature of the certificate's key was among what was admitted. */
  get isSigned(): boolean {
    return this.#isSigned
  }

  /** `role` is ours. */
  constructor(role: 'client' | 'server', fingerprints: readonly Fingerprint[], state: HandshakeState) {
    this.#role = role
    this.#fingerprints = fingerprints
    this.#state = state
  }

  /** To be asked of each message before the library gets it; false, or an error, if the far end is not who it should be. */
  admits(type: number, body: Buffer): boolean {
    if (type === types.certificate) return this.#takeCertificate(body)
    if (type === types.serverHello) this.#serverRandom = body.subarray(2, 2 + randomBytes)
    else if (type === types.serverKey && this.#role === 'client') return this.#isServersKey(body)
    else if (type === types.proofOfClient && this.#role === 'server')
      return this.#isSignedOver(this.#state.transcript(), body)
    else if (type === types.finished) return this.#isSigned && this.#isFinished(body)
    return true
  }

  #takeCertificate(body: Buffer): boolean {
    if (this.#certificate) return false
    const der = body.subarray(6, 6 + body.readUIntBE(3, 3))
    if (!isCertified(der, this.#fingerprints)) return false
    this.#certificate = new X509Certificate(der)
    return true
  }

  #isServersKey(body: Buffer): boolean {
    const end = 4 + body.readUInt8(3)
    const signed = Buffer.concat([this.#state.ourRandom(), this.#serverRandom, body.subarray(0, end)])
    return this.#isSignedOver(signed, body.subarray(end))
  }

  #isSignedOver(signed: Buffer, said: Buffer): boolean {
    const hash = hashes[said.readUInt8(0)]
    const key = this.#certificate?.publicKey
    if (!key || hash === undefined || keyTypes[said.readUInt8(1)] !== key.asymmetricKeyType) return false
    this.#isSigned = verify(hash, signed, key, said.subarray(4, 4 + said.readUInt16BE(2)))
    return this.#isSigned
  }

  #isFinished(body: Buffer): boolean {
    const theirs = this.#role === 'client' ? 'server finished' : 'client finished'
    const seed = Buffer.concat([
      Buffer.from(theirs),
      createHash('sha256').update(this.#state.transcript()).digest(),
    ])
    const expected = firstOf(this.#state.masterSecret(), seed).subarray(0, verifyBytes)
    return body.length === verifyBytes && timingSafeEqual(body, expected)
  }
}

/** The first block of TLS 1.2's pseudorandom function. */
function firstOf(secret: Buffer, seed: Buffer): Buffer {
  const hmac = (...pieces: Buffer[]) => createHmac('sha256', secret).update(Buffer.concat(pieces)).digest()
  return hmac(hmac(seed), seed)
}
