import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generate } from 'selfsigned'

export interface ServerCertificate {
  key: string
  cert: string
}

/** A certificate authority of the tests' own. */
export interface Certificates extends AsyncDisposable {
  caPem: string
  /** What SVC_CA_FILE takes. */
  caFile: string
  /** A server's certificate for these names and addresses. */
  serverFor: (...hosts: string[]) => Promise<ServerCertificate>
}

const elliptic = { keyType: 'ec', algorithm: 'sha256' } as const
const named = (value: string) => [{ name: 'commonName', value }]

export async function makeCertificates(): Promise<Certificates> {
  const ca = await generate(named('Switchroom tests'), {
    ...elliptic,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  })
  const folder = await mkdtemp(join(tmpdir(), 'switchroom-ca-'))
  const caFile = join(folder, 'ca.pem')
  await writeFile(caFile, ca.cert)

  return {
    caPem: ca.cert,
    caFile,
    async serverFor(...hosts) {
      const altNames = hosts.map((host) =>
        isIP(host) ? { type: 7 as const, ip: host } : { type: 2 as const, value: host },
      )
      const made = await generate(named(hosts[0] ?? 'nobody'), {
        ...elliptic,
        ca: { key: ca.private, cert: ca.cert },
        extensions: [
          { name: 'keyUsage', digitalSignature: true, critical: true },
          { name: 'extKeyUsage', serverAuth: true },
          { name: 'subjectAltName', altNames },
        ],
      })
      return { key: made.private, cert: made.cert }
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  }
}
