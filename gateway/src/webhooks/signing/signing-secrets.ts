import { randomBytes } from 'node:crypto'
import { later } from '../../foundation/clock.ts'
import type { SealedPlace, Vault } from '../../foundation/sealing.ts'
import { secretPrefix } from './signature.ts'

const secretBytes = 32
/** A receiver that lags behind several rotations still verifies, and headers stay short. */
const mostSecrets = 3

interface SigningSecret {
  secret: string
  /** The newest has none. */
  until?: string
}

/** An endpoint's secrets are opened only where they were sealed. */
export const placeOf = (endpoint: string): SealedPlace => `webhook_endpoints:sealed:${endpoint}`

/** The secrets of one endpoint, newest first: the older ones sign beside it while receivers change over. */
export class SigningSecrets {
  readonly #secrets: readonly SigningSecret[]

  private constructor(secrets: readonly SigningSecret[]) {
    this.#secrets = secrets
  }

  static made(): SigningSecrets {
    return new SigningSecrets([{ secret: newSigningSecret() }])
  }

  static opened(vault: Vault, endpoint: string, sealed: Buffer): SigningSecrets {
    return new SigningSecrets(JSON.parse(vault.open(sealed, placeOf(endpoint))) as SigningSecret[])
  }

  sealed(vault: Vault, endpoint: string): Buffer {
    return vault.seal(JSON.stringify(this.#secrets), placeOf(endpoint))
  }

  get newest(): string {
    const [newest] = this.#secrets
    if (!newest) throw new Error('an endpoint has a secret')
    return newest.secret
  }

  /** Those that sign now. */
  at(now: Date): string[] {
    return this.#living(now).map(({ secret }) => secret)
  }

  /** Until when an older secret signs too. */
  olderUntil(now: Date): string | null {
    const [, ...older] = this.#living(now)
    return older.reduce<string | null>((last, { until = '' }) => (until > (last ?? '') ? until : last), null)
  }

  /** With a new secret. None of the older ones signs longer than it did, nor longer than this. */
  rotated(now: Date, olderForMs: number): SigningSecrets {
    const end = later(now, olderForMs).toISOString()
    const older = this.#living(now).map(({ secret, until = end }) => ({
      secret,
      until: until < end ? until : end,
    }))
    const living = older.filter(({ until }) => new Date(until) > now)
    return new SigningSecrets([{ secret: newSigningSecret() }, ...living].slice(0, mostSecrets))
  }

  #living(now: Date): readonly SigningSecret[] {
    return this.#secrets.filter(({ until }) => until === undefined || new Date(until) > now)
  }
}

const newSigningSecret = () => secretPrefix + randomBytes(secretBytes).toString('base64')
