import ipaddr from 'ipaddr.js'

/** A setting that does not parse: the process stops with status 2 and this line. */
export class SettingError extends Error {}

export type Network = [address: ipaddr.IPv4 | ipaddr.IPv6, prefixBits: number]

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

export function wholeNumber(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new SettingError(`is not a whole number: ${value}`)
  return Number(value)
}

export function port(value: string): number {
  const number = /^\d{1,5}$/.test(value) ? Number(value) : -1
  if (number < 0 || number > 65535) throw new SettingError(`is not a port from 0 to 65535: ${value}`)
  return number
}

export function flag(value: string): boolean {
  const word = value.toLowerCase()
  if (['1', 'true', 'yes', 'on'].includes(word)) return true
  if (['0', 'false', 'no', 'off'].includes(word)) return false
  throw new SettingError(`is neither true nor false: ${value}`)
}

export function logLevel(value: string): LogLevel {
  const level = logLevels.find((known) => known === value.toLowerCase())
  if (!level) throw new SettingError(`is not one of ${logLevels.join(', ')}: ${value}`)
  return level
}

export function hostName(value: string): string {
  if (
    !/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/i.test(value) ||
    value.length > 253
  )
    throw new SettingError(`is not a host name: ${value}`)
  return value.toLowerCase()
}

export function webUrl(value: string): string {
  const parsed = URL.canParse(value) ? new URL(value) : undefined
  if (!parsed || !['http:', 'https:'].includes(parsed.protocol) || parsed.search || parsed.hash)
    throw new SettingError(`is not a URL that starts http:// or https://: ${value}`)
  return value.replace(/\/+$/, '')
}

/** Only its start is judged, and it is not repeated: it may hold a password, and may name a socket instead of a host. */
export function databaseUrl(value: string): string {
  if (!/^postgres(?:ql)?:\/\//.test(value)) throw new SettingError('is not a URL that starts postgresql://')
  return value
}

export function network(value: string): Network {
  try {
    if (value.includes('/')) return ipaddr.parseCIDR(value)
    const address = ipaddr.parse(value)
    return [address, address.kind() === 'ipv4' ? 32 : 128]
  } catch {
    throw new SettingError(`holds ${value}, which is neither an address nor a network`)
  }
}

export const listOf =
  <T>(form: (value: string) => T) =>
  (value: string): T[] =>
    value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
      .map(form)
