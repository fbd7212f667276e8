import { createCipheriv } from 'node:crypto'
import { type ProfileName, profiles } from './profiles.ts'

export interface SessionKeys {
  key: Buffer
  /** Empty if the cipher itself authenticates. */
  authKey: Buffer
  salt: Buffer
}

const authKeyBytes = 20
const labels = { rtp: 0, rtcp: 3 } as const

/** What packets of one kind are protected with, from a master key and its salt (RFC 3711 4.3, with no key derivation rate). */
export function sessionKeys(profile: ProfileName, master: Buffer, kind: 'rtp' | 'rtcp'): SessionKeys {
  const { mode, keyBytes, saltBytes } = profiles[profile]
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
    key: derive(label, keyBytes),
    authKey: mode === 'gcm' ? Buffer.alloc(0) : derive(label + 1, authKeyBytes),
    salt: derive(label + 2, saltBytes),
  }
}
