import { createCipheriv, createSecretKey, type KeyObject } from 'node:crypto'
import { type ProfileName, profiles } from './profiles.ts'

/** Keys as objects: with bytes each packet would take eight times as long. */
export interface SessionKeys {
  key: KeyObject
  /** Of no use if the cipher itself authenticates. */
  authKey: KeyObject
  salt: Buffer
}

const authKeyBytes = 20
const labels = { rtp: 0, rtcp: 3 } as const

/** What packets of one kind are protected with, from a master key and its salt (RFC 3711 4.3, with no key derivation rate). */
export function sessionKeys(profile: ProfileName, master: Buffer, kind: 'rtp' | 'rtcp'): SessionKeys {
  const { keyBytes, saltBytes } = profiles[profile]
  const masterKey = master.subarray(0, keyBytes)
  const masterSalt = master.subarray(keyBytes, keyBytes + saltBytes)
  const derive = (label: number, bytes: number) => {
    const start = Buffer.alloc(16)
    masterSalt.copy(start)
    start[7] = (start[7] ?? 0) ^ label
    return createCipheriv(`aes-${keyBytes * 8}-ctr`, masterKey, start).update(Buffer.alloc(bytes))
  }
  const label = labels[kind]
  return {
    key: createSecretKey(derive(label, keyBytes)),
    authKey: createSecretKey(derive(label + 1, authKeyBytes)),
    salt: derive(label + 2, saltBytes),
  }
}
