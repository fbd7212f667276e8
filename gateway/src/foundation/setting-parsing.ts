import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { createSecureContext } from 'node:tls'
import ipaddr from 'ipaddr.js'
import { dayMs, secondMs } from './clock.ts'
import { isAddress } from './text.ts'

/** A setting that does not parse: the process stops with status 2 and this line. */
export class SettingError extends Error {}

export type Network = [address: ipaddr.IPv4 | ipaddr.IPv6, prefixBits: number]

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

export function wholeNumber(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new SettingError(`is not a whole number: ${value}`)
  return Number(value)
}

export function amount(value: string): number {
  if (!/^\d{1,9}(?:\.\d{1,9})?$/.test(value)) throw new SettingError(`is not a number of 0 or more: ${value}`)
  return Number(value)
}

export function secondsAsMs(value: string): number {
  const seconds = amount(value)
  if (seconds === 0) throw new SettingError('is 0: it must be more')
  return seconds * secondMs
}

export function daysAsMs(value: string): number {
  const days = wholeNumber(value)
  if (days === 0) throw new SettingError('is 0: it must be more')
  return days * dayMs
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

export const itemOf =
  <const Item extends string>(items: readonly Item[]) =>
  (value: string): Item => {
    const item = items.find((known) => known === value.toLowerCase())
    if (!item) throw new SettingError(`is not one of ${items.join(', ')}: ${value}`)
    return item
  }

export function hostName(value: string): string {
  if (
    !/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/i.test(value) ||
    value.length > 253
  )
    throw new SettingError(`is not a host name: ${value}`)
  return value.toLowerCase()
}

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

export function fleetName(value: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(value))
    throw new SettingError(`is not 1 to 63 letters, digits, dots, dashes and underscores: ${value}`)
  return value
}

export function webUrl(value: string): string {
  const parsed = URL.canParse(value) ? new URL(value) : undefined
  if (!parsed || !['http:', 'https:'].includes(parsed.protocol) || parsed.search || parsed.hash)
    throw new SettingError(`is not a URL that starts http:// or https://: ${value}`)
  return value.replace(/(?<!\/)\/+$/, '')
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

/** `a@b`, or `Name <a@b>` on one line. */
export function mailFrom(value: string): string {
  const address = /^[^<>\p{Cc}]*<([^<>]+)>$/u.exec(value)?.[1] ?? value
  if (!isAddress(address)) throw new SettingError(`is neither an address nor a name with one: ${value}`)
  return value
}

export function dnsServer(value: string): string {
  const [, bracketed, plain, portText = '53'] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(value) ?? [
    undefined,
    undefined,
    value,
  ]
  const address = bracketed ?? plain ?? ''
  if (!ipaddr.isValid(address)) throw new SettingError(`is not the address of a DNS server: ${value}`)
  return ipaddr.parse(address).kind() === 'ipv6'
    ? `[${address}]:${port(portText)}`
    : `${address}:${port(portText)}`
}

export function pemFile(path: string): string {
  try {
    const pem = readFileSync(path, 'utf8')
    createSecureContext({ ca: pem })
    if (!pem.includes('BEGIN CERTIFICATE')) throw new Error('no certificate')
    return pem
  } catch {
    throw new SettingError(`is not a readable file of certificates in PEM: ${path}`)
  }
}

export function folder(value: string): string {
  const path = resolve(value)
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new SettingError(`holds ${value}, which is not a folder`)
  return path
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
