import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { MediaError } from '../plane.ts'
import type { TlsTerms } from './tls-terms.ts'

export interface CertificateFiles {
  /** The chain, ours first. */
  cert: string
  key: string
  /** Who signs the certificates that callers must show; none is asked for without it. */
  ca?: string
}

const lookEveryMs = 5_000

/** What callers over TLS are shown: read from files at the start, and again whenever they change. */
export class ServerCertificate {
  readonly #files: CertificateFiles
  readonly #log: (sentence: string) => void
  readonly #looking: NodeJS.Timeout
  #terms: TlsTerms
  #onChanged: (terms: TlsTerms) => void = () => {}
  /** As the files were when they were read, and when they were looked at last. */
  #readAt: string
  #seenAt: string
  #isLooking = false

  private constructor(
    files: CertificateFiles,
    read: { terms: TlsTerms; at: string },
    log: (sentence: string) => void,
    everyMs: number,
  ) {
    this.#files = files
    this.#log = log
    this.#terms = read.terms
    this.#readAt = read.at
    this.#seenAt = read.at
    this.#looking = setInterval(() => void this.#look(), everyMs).unref()
  }

  /** Rejects with `MediaError` if the files are no certificate and its key. */
  static async read(
    files: CertificateFiles,
    log: (sentence: string) => void,
    everyMs = lookEveryMs,
  ): Promise<ServerCertificate> {
    const at = await marksOf(files)
    return new ServerCertificate(files, { terms: await termsIn(files), at }, log, everyMs)
  }

  get terms(): TlsTerms {
    return this.#terms
  }

  onChanged(listener: (terms: TlsTerms) => void): void {
    this.#onChanged = listener
  }

  stop(): void {
    clearInterval(this.#looking)
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    const now = await marksOf(this.#files)
    // Files that are being written are read once they rest.
    const isResting = now === this.#seenAt && now !== this.#readAt
    this.#seenAt = now
    if (isResting) {
      this.#readAt = now
      await this.#readAgain()
    }
    this.#isLooking = false
  }

  async #readAgain(): Promise<void> {
    try {
      this.#terms = await termsIn(this.#files)
      this.#onChanged(this.#terms)
      this.#log(`the certificate for SIP over TLS was read again: ${this.#files.cert}`)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      this.#log(`the certificate for SIP over TLS stays as it was: ${why}`)
    }
  }
}

async function marksOf({ cert, key, ca }: CertificateFiles): Promise<string> {
  const marks = await Promise.all(
    [cert, key, ...(ca === undefined ? [] : [ca])].map(async (path) => {
      const found = await stat(path, { bigint: true }).catch(() => null)
      return found ? `${found.dev} ${found.ino} ${found.size} ${found.mtimeNs}` : 'absent'
    }),
  )
  return marks.join(', ')
}

async function termsIn(files: CertificateFiles): Promise<TlsTerms> {
  const [cert, key] = await Promise.all([textOf(files.cert), textOf(files.key)])
  const certificate = certificateIn(cert, files.cert)
  const isPair = keyIn(key, files.key, (readable) => certificate.checkPrivateKey(readable))
  if (!isPair) throw new MediaError(`${files.key} is not the key of ${files.cert}`)
  if (files.ca === undefined) return { cert, key }
  const ca = await textOf(files.ca)
  certificateIn(ca, files.ca)
  return { cert, key, ca }
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new MediaError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code})`, {
      cause: error,
    })
  }
}

function certificateIn(pem: string, path: string): X509Certificate {
  try {
    return new X509Certificate(pem)
  } catch (error) {
    throw new MediaError(`${path} holds no certificate in PEM`, { cause: error })
  }
}

function keyIn(
  pem: string,
  path: string,
  isPair: (key: ReturnType<typeof createPrivateKey>) => boolean,
): boolean {
  try {
    return isPair(createPrivateKey(pem))
  } catch (error) {
    throw new MediaError(`${path} holds no private key in PEM`, { cause: error })
  }
}
