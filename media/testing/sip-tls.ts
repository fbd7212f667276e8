import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CertificateFiles, ServerCertificate } from '../src/sip/server-certificate.ts'
import { type Authority, type Certificate, makeAuthority } from './sip-certificates.ts'

/** The files that a server over TLS reads. */
export class TlsFiles {
  readonly authority: Authority
  readonly folder = mkdtempSync(join(tmpdir(), 'sip-tls-'))
  readonly sentences: string[] = []

  private constructor(authority: Authority) {
    this.authority = authority
  }

  static async make(): Promise<TlsFiles> {
    const files = new TlsFiles(await makeAuthority())
    files.write(await files.authority.sign(['localhost', '127.0.0.1', 'pbx.example']))
    writeFileSync(files.path('ca'), files.authority.cert)
    return files
  }

  path(name: 'cert' | 'key' | 'ca'): string {
    return join(this.folder, `${name}.pem`)
  }

  write({ cert, key }: Certificate): void {
    writeFileSync(this.path('cert'), cert)
    writeFileSync(this.path('key'), key)
  }

  /** Of a server; mutual TLS if callers must show one of this authority. */
  async certificate(isMutual = false): Promise<ServerCertificate> {
    const files: CertificateFiles = { cert: this.path('cert'), key: this.path('key') }
    const mutual = isMutual ? { ...files, ca: this.path('ca') } : files
    return ServerCertificate.read(mutual, (sentence) => this.sentences.push(sentence), 20)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true })
  }
}
