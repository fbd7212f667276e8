import type { TestContext } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { makeCertificates } from '@switchroom/gateway/testing/certificates'
import type { WireCertificate } from './wire-fake.ts'

/** A certificate of 127.0.0.1 that this process trusts until the test is over. */
export async function trustedCertificate(t: TestContext): Promise<WireCertificate & { ca: string }> {
  await using certificates = await makeCertificates()
  const usual = getCACertificates('default')
  setDefaultCACertificates([...usual, certificates.caPem])
  t.after(() => setDefaultCACertificates(usual))
  return { ...(await certificates.serverFor('127.0.0.1', 'localhost')), ca: certificates.caPem }
}
