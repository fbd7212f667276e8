import { callCertificate, fingerprintOf } from '../src/srtp/certificate.ts'
import { DtlsHandshake } from '../src/srtp/dtls-handshake.ts'
import type { CallCertificate, Fingerprint } from '../src/srtp/media-security.ts'
import type { MasterKey } from '../src/srtp/srtp-contexts.ts'

export const signalledOf = (certificate: CallCertificate): Fingerprint[] => [
  { algorithm: 'sha-256', value: fingerprintOf(certificate).replaceAll(':', '') },
]

export interface HandshakeTest {
  client?: { certificate?: CallCertificate; expects?: Fingerprint[] }
  server?: { certificate?: CallCertificate; expects?: Fingerprint[] }
  /** What becomes of each datagram. */
  carry?: (bytes: Buffer, deliver: (bytes: Buffer) => void) => void
}

export type Outcome = { send: MasterKey; receive: MasterKey } | 'failed'

/** A handshake between two of our ends, in memory. */
export function shakeHands({
  client = {},
  server = {},
  carry = (bytes, deliver) => deliver(bytes),
}: HandshakeTest) {
  const certificates = {
    client: client.certificate ?? callCertificate(),
    server: server.certificate ?? callCertificate(),
  }
  const outcomes = {
    client: Promise.withResolvers<Outcome>(),
    server: Promise.withResolvers<Outcome>(),
  }
  const ends: { client?: DtlsHandshake; server?: DtlsHandshake } = {}
  const start = (role: 'client' | 'server', expects: Fingerprint[]) =>
    new DtlsHandshake(
      { kind: 'dtls', role, fingerprints: expects, certificate: certificates[role] },
      {
        send: (bytes) => {
          const to = role === 'client' ? 'server' : 'client'
          carry(bytes, (carried) => setImmediate(() => ends[to]?.receive(carried)))
        },
        onKeys: (send, receive) => outcomes[role].resolve({ send, receive }),
        onFailure: () => outcomes[role].resolve('failed'),
      },
    )
  ends.server = start('server', server.expects ?? signalledOf(certificates.client))
  ends.client = start('client', client.expects ?? signalledOf(certificates.server))
  return {
    client: outcomes.client.promise,
    server: outcomes.server.promise,
    end: () => {
      ends.client?.end()
      ends.server?.end()
    },
  }
}
