import { createHash, generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto'
import type { CallCertificate, Fingerprint } from './media-security.ts'

const validForMs = 30 * 24 * 3_600_000

/** Names and hands out the bytes of ASN.1 that a certificate is made of. */
const der = (tag: number, ...pieces: Uint8Array[]): Buffer => {
  const content = Buffer.concat(pieces)
  const { length } = content
  const said = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...said]), content])
}
const sequence = (...pieces: Uint8Array[]) => der(0x30, ...pieces)
const ecdsaWithSha256 = sequence(Buffer.from('06082a8648ce3d040302', 'hex'))
const commonName = Buffer.from('0603550403', 'hex')
const version3 = Buffer.from('a003020102', 'hex')

const utcTime = (ms: number) =>
  der(0x17, Buffer.from(`${new Date(ms).toISOString().replaceAll(/[-:T]/g, '').slice(2, 14)}Z`))

/** A certificate that only its fingerprint speaks for, for one call. */
export function callCertificate(): CallCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const serial = randomBytes(8)
  serial[0] = (serial[0] ?? 0) & 0x3f || 1 // positive, and no leading zeros
  const name = sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from('switchroom')))))
  const now = Date.now()
  const signed = sequence(
    version3,
    der(0x02, serial),
    ecdsaWithSha256,
    name,
    sequence(utcTime(now - validForMs), utcTime(now + validForMs)), // clocks differ
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  )
  const signature = der(0x03, Buffer.from([0]), sign('sha256', signed, privateKey))
  const certificate = new X509Certificate(sequence(signed, ecdsaWithSha256, signature))
  return {
    certificatePem: certificate.toString(),
    keyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

/** As SDP writes it. */
export const fingerprintOf = ({ certificatePem }: CallCertificate): string =>
  new X509Certificate(certificatePem).fingerprint256

export function isCertified(certificate: Uint8Array, fingerprints: readonly Fingerprint[]): boolean {
  // the strongest that they name, as RFC 8122 has it
  const strongest = fingerprints.reduce((longest, { value }) => Math.max(longest, value.length), 0)
  return fingerprints
    .filter(({ value }) => value.length === strongest)
    .some(
      ({ algorithm, value }) =>
        createHash(algorithm.replace('-', '')).update(certificate).digest('hex').toUpperCase() === value,
    )
}
