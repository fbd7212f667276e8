import { SettingError } from './setting-forms.ts'

/** 32 bytes, written as base64, base64url or 64 hex digits. */
export function readVaultKey(value: string | undefined): Buffer {
  const text = value?.trim()
  if (!text) throw new SettingError('SVC_VAULT_KEY is not set: a gateway does not start without it')
  const key = /^[0-9a-f]{64}$/i.test(text)
    ? Buffer.from(text, 'hex')
    : /^[A-Za-z0-9+/_-]{43}=?$/.test(text)
      ? Buffer.from(text, 'base64')
      : undefined
  if (key?.length !== 32) throw new SettingError('SVC_VAULT_KEY is not 32 bytes of base64 or hex')
  return key
}
