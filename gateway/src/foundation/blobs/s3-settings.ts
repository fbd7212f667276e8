import { webUrl } from '@switchroom/process/setting-parsing'
import { SettingError, type ReadSetting } from '@switchroom/process/setting-reader'

/** A bucket of an S3-compatible object storage. */
export interface S3Settings {
  /** Without a trailing slash. */
  endpoint: string
  region: string
  bucket: string
  /** What every key begins with; empty, or ends with a slash. */
  prefix: string
  accessKey: string
  secretKey: string
  /** The headers that ask for encryption where it is stored. */
  encryption: Readonly<Record<string, string>>
}

/** Undefined if no bucket is named. */
export function readS3Settings(read: ReadSetting): S3Settings | undefined {
  const bucket = read('SVC_S3_BUCKET', bucketName)
  if (bucket === undefined) return undefined
  const [accessKey, secretKey] = [read('SVC_S3_KEY', String), read('SVC_S3_SECRET', String)]
  if (accessKey === undefined || secretKey === undefined)
    throw new SettingError(
      `${accessKey === undefined ? 'SVC_S3_KEY' : 'SVC_S3_SECRET'} is not set: a bucket needs both SVC_S3_KEY and SVC_S3_SECRET`,
    )
  const region = read('SVC_S3_REGION', regionName) ?? 'us-east-1'
  return {
    endpoint: read('SVC_S3_ENDPOINT', webUrl) ?? `https://s3.${region}.amazonaws.com`,
    region,
    bucket,
    prefix: read('SVC_S3_PREFIX', prefixOf) ?? '',
    accessKey,
    secretKey,
    encryption: read('SVC_S3_SSE', encryptionHeaders) ?? {},
  }
}

function bucketName(value: string): string {
  if (!/^[a-zA-Z0-9][a-zA-Z0-9._-]{1,62}$/.test(value))
    throw new SettingError(`is not the name of a bucket: ${value}`)
  return value
}

function regionName(value: string): string {
  if (!/^[a-zA-Z0-9-]{1,40}$/.test(value)) throw new SettingError(`is not the name of a region: ${value}`)
  return value
}

/** Names of letters, digits, `.`, `_` and `-`, which every storage takes as they are. */
function prefixOf(value: string): string {
  const names = value.split('/').filter((name) => name !== '')
  if (names.some((name) => !/^[\w.-]{1,100}$/.test(name) || /^\.+$/.test(name)))
    throw new SettingError(
      `is not names of letters, digits, dots, dashes and underscores with / between them: ${value}`,
    )
  return names.map((name) => `${name}/`).join('')
}

const kms = 'aws:kms'

/** `AES256`, `aws:kms` with the bucket's own key, or `aws:kms:` and the key's id. */
function encryptionHeaders(value: string): Record<string, string> {
  const header = 'x-amz-server-side-encryption'
  if (value === 'AES256' || value === kms) return { [header]: value }
  const key = value.startsWith(`${kms}:`) ? value.slice(kms.length + 1) : ''
  if (!/^[\w:/.-]{1,300}$/.test(key))
    throw new SettingError(`is not AES256, ${kms}, or ${kms}: and the id of a key: ${value}`)
  return { [header]: kms, [`${header}-aws-kms-key-id`]: key }
}
