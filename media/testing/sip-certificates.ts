import { isIP } from 'node:net'
import { generate } from 'selfsigned'

export interface Certificate {
  key: string
  cert: string
}

/** A certificate authority of the tests' own. */
export interface Authority {
  cert: string
  /** For these names and addresses, good for either end of a connection. */
  sign(hosts: readonly string[], until?: Date): Promise<Certificate>
}

const elliptic = { keyType: 'ec', algorithm: 'sha256' } as const
const named = (value: string) => [{ name: 'commonName', value }]
const dayMs = 24 * 60 * 60_000

export async function makeAuthority(name = 'Switchroom tests'): Promise<Authority> {
  const ca = await generate(named(name), {
    ...elliptic,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  })
  return {
    cert: ca.cert,
    async sign(hosts, until = new Date(Date.now() + dayMs)) {
      const altNames = hosts.map((host) =>
        isIP(host) ? { type: 7 as const, ip: host } : { type: 2 as const, value: host },
      )
      const made = await generate(named(hosts[0] ?? 'nobody'), {
        ...elliptic,
        notBeforeDate: new Date(Date.now() - 3 * dayMs),
        notAfterDate: until,
        ca: { key: ca.private, cert: ca.cert },
        extensions: [
          { name: 'keyUsage', digitalSignature: true, critical: true },
          { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
          { name: 'subjectAltName', altNames },
        ],
      })
      return { key: made.private, cert: made.cert }
    },
  }
}
