import { SettingError } from '@switchroom/process/setting-reader'
import ipaddr from 'ipaddr.js'
import { isAddress } from './text.ts'

export function phoneNumber(value: string): string {
  if (!/^\+[1-9]\d{6,14}$/.test(value))
    throw new SettingError(`is not a number in international form, as +15550100100: ${value}`)
  return value
}

/** Two letters, as ISO 3166 writes them. */
export function countryCode(value: string): string {
  if (!/^[a-z]{2}$/i.test(value))
    throw new SettingError(`holds ${value}, which is not a country of two letters, as DE`)
  return value.toUpperCase()
}

export function publicAddress(value: string): string {
  const isPublic = ipaddr.IPv4.isValidFourPartDecimal(value) && ipaddr.parse(value).range() === 'unicast'
  if (!isPublic) throw new SettingError(`is not a public IPv4 address: ${value}`)
  return value
}

/** Only its start is judged, and it is not repeated: it may hold a password, and may name a socket instead of a host. */
export function databaseUrl(value: string): string {
  if (!/^postgres(?:ql)?:\/\//.test(value)) throw new SettingError('is not a URL that starts postgresql://')
  return value
}

/** The value is not repeated: it may hold a password. */
export function smtpUrl(value: string): URL {
  const parsed = URL.canParse(value) ? new URL(value) : undefined
  if (
    !parsed ||
    !['smtp:', 'smtps:'].includes(parsed.protocol) ||
    !parsed.hostname ||
    parsed.pathname.length > 1
  )
    throw new SettingError('is not smtp:// or smtps:// with a host')
  return parsed
}

/** The value is not repeated: it may hold a password. */
export function redisUrl(value: string): URL {
  const parsed = URL.canParse(value) ? new URL(value) : undefined
  if (!parsed || !['redis:', 'rediss:'].includes(parsed.protocol) || !parsed.hostname)
    throw new SettingError('is not redis:// or rediss:// with a host')
  if (![parsed.username, parsed.password].every(isDecodable))
    throw new SettingError('has a name or a password with a % that begins no escape: write it as %25')
  return parsed
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** `a@b`, or `Name <a@b>` on one line. */
export function mailFrom(value: string): string {
  const address = /^[^<>\p{Cc}]*<([^<>]+)>$/u.exec(value)?.[1] ?? value
  if (!isAddress(address)) throw new SettingError(`is neither an address nor a name with one: ${value}`)
  return value
}
