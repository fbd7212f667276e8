import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** 32 bytes of the operating system's randomness as 43 characters that fit a URL. */
export const newSecret = (prefix = '') => prefix + randomBytes(32).toString('base64url')

/** What is kept of a key, code, word or token: it finds the row and cannot be turned back. */
export const digestOf = (secret: string) => createHash('sha256').update(secret).digest()

/** Compared by digest, so that neither the length nor the first difference shows in the time it takes. */
export const isSameSecret = (one: string, other: string) => timingSafeEqual(digestOf(one), digestOf(other))

export const newId = (prefix: string, bytes: number) => `${prefix}_${randomBytes(bytes).toString('hex')}`
