import { readFileSync, statSync } from 'node:fs'
import { isIP, isIPv4, isIPv6 } from 'node:net'
import { resolve } from 'node:path'
import { createSecureContext } from 'node:tls'
import ipaddr from 'ipaddr.js'
import { SettingError } from './setting-reader.ts'

export type Network = [address: ipaddr.IPv4 | ipaddr.IPv6, prefixBits: number]

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

const secondMs = 1000

export function wholeNumber(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new SettingError(`is not a whole number: ${value}`)
  return Number(value)
}

export function positiveNumber(value: string): number {
  if (!/^[1-9]\d{0,5}$/.test(value)) throw new SettingError(`is not a whole number of 1 or more: ${value}`)
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

export function port(value: string): number {
  const number = /^\d{1,5}$/.test(value) ? Number(value) : -1
  if (number < 0 || number > 65_535) throw new SettingError(`is not a port from 0 to 65535: ${value}`)
  return number
}

export function flag(value: string): boolean {
  const word = value.toLowerCase()
  if (['1', 'true', 'yes', 'on'].includes(word)) return true
  if (['0', 'false', 'no', 'off'].includes(word)) return false
  throw new SettingError(`is neither true nor false: ${value}`)
}

export const oneOf =
  <const Item extends string>(items: readonly Item[]) =>
  (value: string): Item => {
    const item = items.find((known) => known === value.toLowerCase())
    if (!item) throw new SettingError(`is not one of ${items.join(', ')}: ${value}`)
    return item
  }

export const logLevel = oneOf(logLevels)

export function hostName(value: string): string {
  if (
    !/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/i.test(value) ||
    value.length > 253
  )
    throw new SettingError(`is not a host name: ${value}`)
  return value.toLowerCase()
}

export function ipv4Address(value: string): string {
  if (!isIPv4(value)) throw new SettingError(`is not an IPv4 address: ${value}`)
  return value
}

export function ipAddress(value: string): string {
  if (!isIP(value)) throw new SettingError(`is not an IP address: ${value}`)
  return value
}

export function ipv6Address(value: string): string {
  if (!isIPv6(value)) throw new SettingError(`is not an IPv6 address: ${value}`)
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

/** An address, or a network in CIDR notation. */
export function network(value: string): Network {
  try {
    if (value.includes('/')) return ipaddr.parseCIDR(value)
    const address = ipaddr.parse(value)
    return [address, address.kind() === 'ipv4' ? 32 : 128]
  } catch {
    throw new SettingError(`holds ${value}, which is neither an address nor a network`)
  }
}

/** The name of a group of workers. */
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

/** A media server, whose dashboards show its address as wss:// and whose API is at the same as https://. */
export function mediaUrl(value: string): string {
  if (!/^(?:https?|wss?):\/\//i.test(value))
    throw new SettingError(`is not a URL that starts https://, http://, wss:// or ws://: ${value}`)
  return webUrl(value.replace(/^ws/i, 'http'))
}

/** Where sockets are opened: as ws:// or wss://, also if it is written as the same address over HTTP. */
export function socketUrl(value: string): string {
  if (!/^(?:https?|wss?):\/\//i.test(value))
    throw new SettingError(`is not a URL that starts wss:// or ws://: ${value}`)
  return webUrl(value.replace(/^ws/i, 'http')).replace(/^http/i, 'ws')
}

export function folder(value: string): string {
  const path = resolve(value)
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new SettingError(`holds ${value}, which is not a folder`)
  return path
}

/** The text of a file of certificates. */
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

/** Items between commas. */
export const listOf =
  <T>(parse: (value: string) => T) =>
  (value: string): T[] =>
    value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
      .map(parse)
