/** How packets are protected (RFC 3711, 6188, 7714), by the names that SDP has for it (RFC 4568). */
export const profiles = {
  AES_CM_128_HMAC_SHA1_80: { mode: 'counter', keyBytes: 16, saltBytes: 14, tagBytes: 10, rtcpTagBytes: 10 },
  AES_CM_128_HMAC_SHA1_32: { mode: 'counter', keyBytes: 16, saltBytes: 14, tagBytes: 4, rtcpTagBytes: 10 },
  AES_256_CM_HMAC_SHA1_80: { mode: 'counter', keyBytes: 32, saltBytes: 14, tagBytes: 10, rtcpTagBytes: 10 },
  AES_256_CM_HMAC_SHA1_32: { mode: 'counter', keyBytes: 32, saltBytes: 14, tagBytes: 4, rtcpTagBytes: 10 },
  AEAD_AES_128_GCM: { mode: 'gcm', keyBytes: 16, saltBytes: 12, tagBytes: 16, rtcpTagBytes: 16 },
  AEAD_AES_256_GCM: { mode: 'gcm', keyBytes: 32, saltBytes: 12, tagBytes: 16, rtcpTagBytes: 16 },
} as const

export type ProfileName = keyof typeof profiles

export const isProfile = (name: string): name is ProfileName => Object.hasOwn(profiles, name)

/** Of a master key and its salt together. */
export const keyBytesOf = (profile: ProfileName) => profiles[profile].keyBytes + profiles[profile].saltBytes
