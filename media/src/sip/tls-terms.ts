import { createHash } from 'node:crypto'

/** What a trunk says about TLS, each as PEM. */
export interface TlsTerms {
  /** Whom to trust instead of the public authorities. */
  ca?: string
  /** Ours, for a far end that asks for one. */
  cert?: string
  key?: string
}

export interface TrunkCertificates {
  ca_certificates?: string
  client_certificate?: string
  client_key?: string
}

export const tlsTermsOf = (trunk: TrunkCertificates): TlsTerms => ({
  ...(trunk.ca_certificates && { ca: trunk.ca_certificates }),
  ...(trunk.client_certificate && { cert: trunk.client_certificate }),
  ...(trunk.client_key && { key: trunk.client_key }),
})

/** Tells apart what two connections trust and show. */
export const markOf = ({ ca = '', cert = '', key = '' }: TlsTerms): string =>
  createHash('sha256').update([ca, cert, key].join('\0')).digest('hex')
