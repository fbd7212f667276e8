import { SettingError } from '@switchroom/process/setting-reader'

/** One key, or two while it is being changed: the first seals, both open. */
export function readVaultKeys(value: string | undefined): [newest: Buffer, older?: Buffer] {
  const [newest, older, ...more] = (value ?? '').split(/[\s,]+/).filter((key) => key !== '')
  if (newest === undefined)
    throw new SettingError('SVC_VAULT_KEY is not set: a gateway does not start without it')
  if (more.length > 0)
    throw new SettingError(
      'SVC_VAULT_KEY is one key, or two while it is changed: the new one, then the old one',
    )
  return older === undefined ? [keyOf(newest)] : [keyOf(newest), keyOf(older)]
}

/** 32 bytes, written as base64, base64url or 64 hex digits. */
function keyOf(text: string): Buffer {
  const key = /^[0-9a-f]{64}$/i.test(text)
    ? Buffer.from(text, 'hex')
    : /^[A-Za-z0-9+/_-]{43}=?$/.test(text)
      ? Buffer.from(text, 'base64')
      : undefined
  if (key?.length !== 32) throw new SettingError('SVC_VAULT_KEY is not 32 bytes of base64 or hex')
  return key
}
