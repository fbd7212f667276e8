import { createHash } from 'node:crypto'
import type { RTCDtlsTransport } from 'werift'
import { HandshakeProof } from '../srtp/handshake-proof.ts'

/** The flight of a handshake in which the far end shows who it is, by our role. */
const flights = { server: 5, client: 4 } as const

/**
 * The library compares a browser's certificate with the fingerprint in its offer and checks no signature: whoever saw
 * the certificate, which is sent in the clear, could show it. From here on the transport also demands its key.
 */
export function demandProof(transport: RTCDtlsTransport): void {
  const checked = transport as unknown as { verifyRemoteCertificateFingerprint: () => void }
  const checkFingerprint = checked.verifyRemoteCertificateFingerprint.bind(transport)
  checked.verifyRemoteCertificateFingerprint = () => {
    checkFingerprint()
    if (!isProven(transport)) throw new Error('the browser has not the key of its certificate')
  }
}

/** From the messages of a handshake that is over. */
function isProven({ dtls: socket, role }: RTCDtlsTransport): boolean {
  const certificate = socket?.remoteCertificate
  if (!socket || !certificate || role === 'auto') return false
  const messages = socket.dtls.sortedHandshakeCache
  const theirs = new Set(socket.dtls.handshakeCache[flights[role]]?.data)
  let before = 0
  const value = createHash('sha256').update(certificate).digest('hex').toUpperCase()
  const proof = new HandshakeProof(role, [{ algorithm: 'sha-256', value }], {
    ourRandom: () => socket.cipher.localRandom.serialize(),
    masterSecret: () => socket.cipher.masterSecret,
    transcript: () => Buffer.concat(messages.slice(0, before).map((message) => message.serialize())),
  })
  for (const message of messages) {
    if (theirs.has(message) && !proof.admits(message.msg_type, message.fragment)) return false
    before += 1
  }
  return proof.isSigned
}
