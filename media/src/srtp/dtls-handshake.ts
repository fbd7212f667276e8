import { DtlsClient, DtlsServer } from 'werift'
import { HandshakeMessages, type HandshakePiece } from './handshake-messages.ts'
import { HandshakeProof } from './handshake-proof.ts'
import type { MediaSecurity } from './media-security.ts'
import { type ProfileName, profiles } from './profiles.ts'
import type { MasterKey } from './srtp-contexts.ts'

/** By their numbers in the handshake (RFC 5764 4.1.2, RFC 7714 14.2), those that the library knows. */
const knownProfiles = { 1: 'AES_CM_128_HMAC_SHA1_80', 7: 'AEAD_AES_128_GCM' } as const satisfies Record<
  number,
  ProfileName
>
const ecdsaWithSha256 = { hash: 4, signature: 3 } as const
const finished = 20
const withinMs = 20_000
/** Of one handshake, with everything said several times. */
const mostDatagrams = 300
/** No flight is waited for any longer. */
const lastFlight = 100

export interface HandshakeParts {
  send: (bytes: Buffer) => void
  onKeys: (send: MasterKey, receive: MasterKey) => void
  onFailure: () => void
}

type Piece = HandshakePiece & Parameters<DtlsServer['handleFragmentHandshake']>[0][number]

/** Finds keys with the far end, on the port of the sound (RFC 5764). */
export class DtlsHandshake {
  readonly #parts: HandshakeParts
  readonly #socket: DtlsClient | DtlsServer
  readonly #messages = new HandshakeMessages<Piece>()
  readonly #proof: HandshakeProof
  readonly #late: NodeJS.Timeout
  readonly #transport = {
    type: 'udp',
    address: { address: '', family: '', port: 0 },
    closed: false,
    onData: (_bytes: Buffer) => {},
    send: async (bytes: Buffer) => {
      if (!this.#isOver) this.#parts.send(bytes)
    },
    close: async () => {},
  }
  #datagrams = 0
  #isOver = false

  constructor(
    { role, fingerprints, certificate }: Extract<MediaSecurity, { kind: 'dtls' }>,
    parts: HandshakeParts,
  ) {
    this.#parts = parts
    const options = {
      cert: certificate.certificatePem,
      key: certificate.keyPem,
      signatureHash: ecdsaWithSha256,
      transport: this.#transport,
      srtpProfiles: [1 as const, 7 as const],
      extendedMasterSecret: true,
      ...(role === 'server' && { certificateRequest: true }),
    }
    const socket = role === 'server' ? new DtlsServer(options) : new DtlsClient(options)
    this.#socket = socket
    this.#proof = new HandshakeProof(role, fingerprints, {
      ourRandom: () => socket.cipher.localRandom.serialize(),
      masterSecret: () => socket.cipher.masterSecret,
      transcript: () => Buffer.concat(socket.dtls.sortedHandshakeCache.map((message) => message.serialize())),
    })
    this.#late = setTimeout(() => this.#fail(), withinMs)
    // The library would take pieces in any order, and twice.
    socket.handleFragmentHandshake = (pieces) => {
      for (const piece of pieces) this.#take(piece)
      return []
    }
    socket.onConnect.subscribe(() => this.#found())
    socket.onError.subscribe(() => this.#fail())
    if (socket instanceof DtlsClient) socket.connect().catch(() => this.#fail())
  }

  receive(bytes: Buffer): void {
    this.#datagrams += 1
    if (this.#isOver || this.#datagrams > mostDatagrams) return
    try {
      this.#transport.onData(bytes)
    } catch {
      // What it trips over is no handshake.
    }
  }

  end(): void {
    this.#isOver = true
    clearTimeout(this.#late)
    this.#socket.dtls.flight = lastFlight
  }

  #take(piece: Piece): void {
    // Our last words were lost: the far end says its own again.
    if (piece.msg_type === finished && this.#socket.connected) return this.#pass(piece)
    for (const message of this.#messages.take(piece)) {
      if (!this.#isAdmitted(message)) return this.#fail()
      this.#pass(message)
    }
  }

  #pass(message: Piece): void {
    this.#socket.onHandleHandshakes([message]).catch(() => this.#fail())
  }

  #isAdmitted({ msg_type: type, fragment }: Piece): boolean {
    try {
      return this.#proof.admits(type, fragment)
    } catch {
      return false
    }
  }

  #found(): void {
    const { srtpProfile } = this.#socket.srtp
    const profile = srtpProfile && knownProfiles[srtpProfile]
    if (this.#isOver || !profile) return this.#fail()
    clearTimeout(this.#late)
    const { keyBytes, saltBytes } = profiles[profile]
    const { localKey, localSalt, remoteKey, remoteSalt } = this.#socket.extractSessionKeys(
      keyBytes,
      saltBytes,
    )
    const master = (...pieces: Buffer[]) => ({ profile, key: Buffer.concat(pieces).toString('base64') })
    this.#parts.onKeys(master(localKey, localSalt), master(remoteKey, remoteSalt))
  }

  #fail(): void {
    if (this.#isOver || this.#socket.connected) return
    this.end()
    this.#parts.onFailure()
  }
}
