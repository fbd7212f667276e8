import { SIPMediaEncryption } from '@livekit/protocol'
import type { Encryption } from '@switchroom/contract/trunk-terms'

export const encryptionOf: Record<Encryption, SIPMediaEncryption> = {
  off: SIPMediaEncryption.SIP_MEDIA_ENCRYPT_DISABLE,
  offered: SIPMediaEncryption.SIP_MEDIA_ENCRYPT_ALLOW,
  required: SIPMediaEncryption.SIP_MEDIA_ENCRYPT_REQUIRE,
}

/** Absent if it is off. */
export function encryptionIn(encryption: SIPMediaEncryption): { encryption?: Encryption } {
  if (encryption === SIPMediaEncryption.SIP_MEDIA_ENCRYPT_ALLOW) return { encryption: 'offered' }
  if (encryption === SIPMediaEncryption.SIP_MEDIA_ENCRYPT_REQUIRE) return { encryption: 'required' }
  return {}
}
