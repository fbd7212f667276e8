import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'

const nonceBytes = 12
const tagBytes = 16
const keyIdBytes = 8
/** The first byte of every sealed value that names its key. */
const version = 1
const headerBytes = 1 + keyIdBytes

/** The row a sealed value belongs to; a value copied to another row does not open there. */
export type SealedPlace = `${string}:${string}:${string}`

interface VaultKey {
  secret: Buffer
  macSecret: Buffer
  /** What a value sealed under it begins with. */
  header: Buffer
}

/**
 * Seals secrets under the deployment's vault key: AES-256-GCM, kept as version, key id, nonce, tag, ciphertext. While the
 * key is being changed there is an older one, which opens and seals no more.
 */
export class Vault {
  readonly #newest: VaultKey
  readonly #keys: readonly VaultKey[]

  constructor(key: Buffer, older?: Buffer) {
    this.#newest = vaultKeyOf(key)
    this.#keys = older && !older.equals(key) ? [this.#newest, vaultKeyOf(older)] : [this.#newest]
  }

  /** The ids of the keys it opens with; the first is of the one it seals with. */
  get keyIds(): [newest: string, ...older: string[]] {
    const [, ...older] = this.#keys.map(idOf)
    return [idOf(this.#newest), ...older]
  }

  /** What every value begins with that is sealed under the newest key. */
  get header(): Buffer {
    return this.#newest.header
  }

  /** What is kept of a secret too short for a bare digest: without the vault key it cannot be tried out. */
  mac(secret: string, place: SealedPlace): Buffer {
    return macOf(this.#newest, secret, place)
  }

  /** Whether it is the mac of this secret, under any of the keys. */
  isMac(mac: Buffer, secret: string, place: SealedPlace): boolean {
    return this.#keys.some((key) => timingSafeEqual(mac, macOf(key, secret, place)))
  }

  seal(secret: string, place: SealedPlace): Buffer {
    const { secret: key, header } = this.#newest
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(
      Buffer.concat([header, Buffer.from(place)]),
    )
    const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
    return Buffer.concat([header, nonce, cipher.getAuthTag(), sealed])
  }

  /** Throws when the key, the place or a single bit is not the one it was sealed with. */
  open(sealed: Buffer, place: SealedPlace): string {
    return this.#opened(sealed, place).secret
  }

  /** The id of the key that the value is sealed under; throws when none of them opens it. */
  keyIdOf(sealed: Buffer, place: SealedPlace): string {
    return idOf(this.#opened(sealed, place).key)
  }

  /** A value without a header is of a time when there was one key; what looks like a header may be its nonce. */
  #opened(sealed: Buffer, place: SealedPlace): { secret: string; key: VaultKey } {
    const header = sealed.subarray(0, headerBytes)
    for (const key of this.#keys) {
      const named = key.header.equals(header) && openedWith(key, sealed.subarray(headerBytes), place, header)
      const secret = named || openedWith(key, sealed, place)
      if (secret) return { secret: secret.toString('utf8'), key }
    }
    throw new Error('a sealed value does not open')
  }
}

function vaultKeyOf(secret: Buffer): VaultKey {
  const drawn = (purpose: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', secret, '', purpose, bytes))
  const id = drawn('switchroom key id', keyIdBytes)
  return { secret, macSecret: drawn('switchroom codes', 32), header: Buffer.concat([Buffer.of(version), id]) }
}

const idOf = ({ header }: VaultKey) => header.subarray(1).toString('hex')

const macOf = ({ macSecret }: VaultKey, secret: string, place: SealedPlace) =>
  createHmac('sha256', macSecret).update(`${place}\0${secret}`).digest()

function openedWith(
  key: VaultKey,
  body: Buffer,
  place: SealedPlace,
  header: Buffer = Buffer.alloc(0),
): Buffer | undefined {
  try {
    const nonce = body.subarray(0, nonceBytes)
    const tag = body.subarray(nonceBytes, nonceBytes + tagBytes)
    const decipher = createDecipheriv('aes-256-gcm', key.secret, nonce, { authTagLength: tagBytes })
    decipher.setAAD(Buffer.concat([header, Buffer.from(place)])).setAuthTag(tag)
    return Buffer.concat([decipher.update(body.subarray(nonceBytes + tagBytes)), decipher.final()])
  } catch {
    return undefined
  }
}
