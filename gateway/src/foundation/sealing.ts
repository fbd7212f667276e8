import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

const nonceBytes = 12
const tagBytes = 16

/** The row a sealed value belongs to; a value copied to another row does not open there. */
export type SealedPlace = `${string}:${string}:${string}`

/** Seals secrets under the deployment's vault key: AES-256-GCM, kept as nonce, tag, ciphertext. */
export class Vault {
  readonly #key: Buffer
  readonly #macKey: Buffer

  constructor(key: Buffer) {
    this.#key = key
    this.#macKey = Buffer.from(hkdfSync('sha256', key, '', 'switchroom codes', 32))
  }

  /** What is kept of a secret too short for a bare digest: without the vault key it cannot be tried out. */
  mac(secret: string, place: SealedPlace): Buffer {
    return createHmac('sha256', this.#macKey).update(`${place}\0${secret}`).digest()
  }

  seal(secret: string, place: SealedPlace): Buffer {
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(Buffer.from(place))
    const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
  }

  /** Throws when the key, the place or a single bit is not the one it was sealed with. */
  open(sealed: Buffer, place: SealedPlace): string {
    const nonce = sealed.subarray(0, nonceBytes)
    const tag = sealed.subarray(nonceBytes, nonceBytes + tagBytes)
    const decipher = createDecipheriv('aes-256-gcm', this.#key, nonce, { authTagLength: tagBytes })
    decipher.setAAD(Buffer.from(place)).setAuthTag(tag)
    const secret = decipher.update(sealed.subarray(nonceBytes + tagBytes))
    return Buffer.concat([secret, decipher.final()]).toString('utf8')
  }
}
