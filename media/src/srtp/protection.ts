import type { DtlsHandshake } from './dtls-handshake.ts'
import type { KeyedSecurity, MediaSecurity } from './media-security.ts'
import { type MasterKey, SrtpReceiver, SrtpSender } from './srtp-contexts.ts'

type Shaken = Extract<MediaSecurity, { kind: 'dtls' }>

export interface ProtectionParts {
  /** Of a handshake. */
  send: (bytes: Buffer) => void
  /** A handshake has found them. */
  onKeys: (security: KeyedSecurity) => void
  /** The far end is not who it said it is, or no keys were found. */
  onFailure: () => void
}

/** Whether bytes that came to a port for sound belong to a handshake (RFC 7983). */
export const isHandshake = (bytes: Uint8Array) => (bytes[0] ?? 0) >= 20 && (bytes[0] ?? 0) <= 63

/** What is between a party's packets, RTP and RTCP, and the wire: nothing, or their encryption. */
export class Protection {
  readonly #parts: ProtectionParts
  #isClear = false
  #sender: { key: string; srtp: SrtpSender } | undefined
  #receiver: { key: string; srtp: SrtpReceiver } | undefined
  /** Under the key before: what was sent before the far end heard of the new one. */
  #receiverBefore: SrtpReceiver | undefined
  #handshake: { of: string; dtls: Promise<DtlsHandshake> } | undefined

  constructor(parts: ProtectionParts, security: MediaSecurity | undefined) {
    this.#parts = parts
    this.update(security)
  }

  /** What was agreed on anew. A key that stays goes on counting. */
  update(security: MediaSecurity | undefined): void {
    this.#isClear = security === undefined
    if (security?.kind !== 'dtls') this.end()
    if (security?.kind === 'sdes') this.#use(security.send, security.receive)
    else if (security?.kind === 'dtls') this.#shake(security)
    else this.#forget()
  }

  /** Whether anything may be sent yet. */
  get isReady(): boolean {
    return this.#isClear || this.#sender !== undefined
  }

  /** As it goes over the wire; undefined if it must not. */
  seal(packet: Buffer): Buffer | undefined {
    return this.#isClear ? packet : this.#sender?.srtp.seal(packet)
  }

  /** As it was before; undefined for what is not the far end's. */
  open(bytes: Buffer): Buffer | undefined {
    if (this.#isClear) return bytes
    const packet = this.#receiver?.srtp.open(bytes)
    if (!packet) return this.#receiverBefore?.open(bytes)
    this.#receiverBefore = undefined
    return packet
  }

  /** Bytes of a handshake. */
  receive(bytes: Buffer): void {
    const kept = Buffer.from(bytes)
    void this.#handshake?.dtls.then(
      (dtls) => dtls.receive(kept),
      () => {},
    )
  }

  end(): void {
    void this.#handshake?.dtls.then(
      (dtls) => dtls.end(),
      () => {},
    )
    this.#handshake = undefined
  }

  #use(send: MasterKey, receive: MasterKey): void {
    const [sendKey, receiveKey] = [JSON.stringify(send), JSON.stringify(receive)]
    if (this.#sender?.key !== sendKey) this.#sender = { key: sendKey, srtp: new SrtpSender(send) }
    if (this.#receiver?.key === receiveKey) return
    this.#receiverBefore = this.#receiver?.srtp
    this.#receiver = { key: receiveKey, srtp: new SrtpReceiver(receive) }
  }

  #forget(): void {
    this.#sender = undefined
    this.#receiver = undefined
    this.#receiverBefore = undefined
  }

  /** The same two certificates need no other handshake. */
  #shake(security: Shaken): void {
    const of = JSON.stringify([security.role, security.fingerprints, security.certificate.certificatePem])
    if (this.#handshake?.of === of) return
    this.end()
    this.#forget()
    // loaded for the calls that need it
    const dtls = import('./dtls-handshake.ts').then(
      (module) =>
        new module.DtlsHandshake(security, {
          send: this.#parts.send,
          onKeys: (send, receive) => {
            if (this.#handshake?.of !== of) return
            this.#use(send, receive)
            this.#parts.onKeys({ kind: 'sdes', send, receive })
          },
          onFailure: () => {
            if (this.#handshake?.of === of) this.#parts.onFailure()
          },
        }),
    )
    this.#handshake = { of, dtls }
    dtls.catch(() => this.#parts.onFailure())
  }
}
