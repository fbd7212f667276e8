import { createHmac, timingSafeEqual } from 'node:crypto'

const form = /^sha256=([0-9a-fA-F]{64})$/

/** The signature in a header; undefined if there is none, or two, or something else. */
export function signatureIn(header: string | readonly string[] | undefined): Buffer | undefined {
  const hex = typeof header === 'string' ? form.exec(header)?.[1] : undefined
  return hex === undefined ? undefined : Buffer.from(hex, 'hex')
}

/** Over the bytes as they came: what is written anew from them is signed otherwise. */
export const isSignedBy = (secret: string, bytes: Buffer, signature: Buffer) =>
  timingSafeEqual(createHmac('sha256', secret).update(bytes).digest(), signature)
