import { statSync } from 'node:fs'
import { BlockList, isIP } from 'node:net'
import { resolve } from 'node:path'

/** A setting that does not parse: the process stops with status 2 and this line. */
export class SettingError extends Error {}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** How long a client may take to send a request, and how many connections are taken. */
export interface ConnectionLimits {
  headersTimeoutMs: number
  requestTimeoutMs: number
  /** In each stretch of this length a body that is not whole brings some KiB, or its connection is closed. */
  bodyStallMs: number
  mostConnections: number
  mostConnectionsPerAddress: number
  /** Their connections are everybody's. */
  trustedProxies: BlockList
}

/** The voice server's settings, read once at start. `docs/settings.md` explains each. */
export interface Settings {
  host: string
  port: number
  /** Where the gateway answers, without a trailing slash. */
  gatewayUrl: string
  fleetKey: string
  /** Folders of further vendor packages. */
  vendorFolders: string[]
  /** How long a voice may take to its first sound, and be silent after it. */
  speechTimeoutMs: number
  transcribeTimeoutMs: number
  connections: ConnectionLimits
  logLevel: LogLevel
}

export type Environment = Readonly<Record<string, string | undefined>>

export function readSettings(environment: Environment): Settings {
  const read = <T>(name: string, form: (value: string) => T) => {
    const value = environment[name]?.trim()
    if (!value) return undefined // an empty value is the same as unset
    try {
      return form(value)
    } catch (error) {
      throw error instanceof SettingError ? new SettingError(`${name} ${error.message}`) : error
    }
  }
  const fleetKey = read('SVC_FLEET_KEY', String)
  if (fleetKey === undefined)
    throw new SettingError('SVC_FLEET_KEY is not set: give the voice server the one that the gateway has')
  return {
    host: read('SVC_HOST', String) ?? '127.0.0.1',
    port: read('SVC_VOICE_PORT', port) ?? 8081,
    gatewayUrl: read('SVC_GATEWAY_URL', webUrl) ?? `http://127.0.0.1:${read('SVC_PORT', port) ?? 8080}`,
    fleetKey,
    vendorFolders: read('SVC_VENDOR_FOLDERS', folders) ?? [],
    speechTimeoutMs: read('SVC_SPEECH_TIMEOUT_S', secondsAsMs) ?? 15_000,
    transcribeTimeoutMs: read('SVC_TRANSCRIBE_TIMEOUT_S', secondsAsMs) ?? 120_000,
    connections: {
      headersTimeoutMs: read('SVC_HEADERS_TIMEOUT_S', secondsAsMs) ?? 10_000,
      requestTimeoutMs: read('SVC_REQUEST_TIMEOUT_S', secondsAsMs) ?? 600_000,
      bodyStallMs: read('SVC_BODY_STALL_S', secondsAsMs) ?? 10_000,
      mostConnections: read('SVC_MAX_CONNECTIONS', wholeNumber) ?? 10_000,
      mostConnectionsPerAddress: read('SVC_MAX_CONNECTIONS_PER_ADDRESS', wholeNumber) ?? 1000,
      trustedProxies: read('SVC_TRUSTED_PROXIES', networks) ?? new BlockList(),
    },
    logLevel: read('SVC_LOG_LEVEL', logLevel) ?? 'info',
  }
}

function port(value: string): number {
  const number = /^\d{1,5}$/.test(value) ? Number(value) : -1
  if (number < 0 || number > 65535) throw new SettingError(`is not a port from 0 to 65535: ${value}`)
  return number
}

function webUrl(value: string): string {
  const parsed = URL.canParse(value) ? new URL(value) : undefined
  if (!parsed || !['http:', 'https:'].includes(parsed.protocol) || parsed.search || parsed.hash)
    throw new SettingError(`is not a URL that starts http:// or https://: ${value}`)
  return value.replace(/(?<!\/)\/+$/, '')
}

function secondsAsMs(value: string): number {
  if (!/^\d{1,9}(?:\.\d{1,9})?$/.test(value)) throw new SettingError(`is not a number of 0 or more: ${value}`)
  if (Number(value) === 0) throw new SettingError('is 0: it must be more')
  return Number(value) * 1000
}

function wholeNumber(value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw new SettingError(`is not a whole number: ${value}`)
  return Number(value)
}

function networks(value: string): BlockList {
  const list = new BlockList()
  for (const item of value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')) {
    const [address = '', prefix] = item.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    try {
      if (prefix === undefined) list.addAddress(address, family)
      else list.addSubnet(address, wholeNumber(prefix), family)
    } catch {
      throw new SettingError(`holds ${item}, which is neither an address nor a network`)
    }
  }
  return list
}

function logLevel(value: string): LogLevel {
  const level = logLevels.find((known) => known === value.toLowerCase())
  if (!level) throw new SettingError(`is not one of ${logLevels.join(', ')}: ${value}`)
  return level
}

function folders(value: string): string[] {
  const named = value.split(',').map((item) => item.trim())
  return named.filter((item) => item !== '').map(folder)
}

function folder(value: string): string {
  const path = resolve(value)
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new SettingError(`holds ${value}, which is not a folder`)
  return path
}
