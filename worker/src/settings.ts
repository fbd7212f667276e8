import { statSync } from 'node:fs'
import { availableParallelism, hostname } from 'node:os'
import { resolve } from 'node:path'
import { isIPv4 } from 'node:net'
import { environments, type Environment } from '@switchroom/contract/scopes'
import { fleetsIn, mediaServersIn, type MediaServers } from './livekit/livekit-settings.ts'
import { SettingError } from './setting-error.ts'

export { SettingError }

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

const callsPerCore = 20
const secondMs = 1000

export interface PortRange {
  first: number
  last: number
}

/** The worker's settings, read once at start. `docs/voice.md` explains each. */
export interface Settings {
  /** Where the gateway answers, without a trailing slash. */
  gatewayUrl: string
  fleetKey: string
  environments: readonly Environment[]
  sipHost: string
  /** Undefined for the usual one or, where somebody else has it and phones of this machine are let in, any. */
  sipPort: number | undefined
  /** What far ends are told to send their sound to. */
  mediaAddress: string
  mediaPorts: PortRange
  /** The org whose agents phones on this very machine may call by name. */
  localOrg: string | undefined
  /** Of the environments whose calls come from a LiveKit server in place of this worker's own port. */
  mediaServers: MediaServers
  /** Whom such a server knows this worker as. */
  fleets: Record<Environment, string>
  /** How many calls run at once. */
  capacity: number
  callsPerProcess: number
  /** How long nobody may say anything before a call ends. */
  idleTimeoutMs: number
  /** Hosts of trunks that may be at an address that is not public. */
  privateHosts: string[]
  /** Folders of further vendor packages. */
  vendorFolders: string[]
  logLevel: LogLevel
}

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>

export function readSettings(variables: EnvironmentVariables): Settings {
  const read = <T>(name: string, form: (value: string) => T) => {
    const value = variables[name]?.trim()
    if (!value) return undefined // an empty value is the same as unset
    try {
      return form(value)
    } catch (error) {
      throw error instanceof SettingError ? new SettingError(`${name} ${error.message}`) : error
    }
  }
  const fleetKey = read('SVC_FLEET_KEY', String)
  if (fleetKey === undefined)
    throw new SettingError('SVC_FLEET_KEY is not set: give the worker the one that the gateway has')
  const sipHost = read('SVC_SIP_HOST', address) ?? '127.0.0.1'
  return {
    gatewayUrl: read('SVC_GATEWAY_URL', webUrl) ?? `http://127.0.0.1:${read('SVC_PORT', port) ?? 8080}`,
    fleetKey,
    environments: read('SVC_WORKER_ENV', environment) ?? environments,
    sipHost,
    sipPort: read('SVC_SIP_PORT', port),
    mediaAddress: read('SVC_MEDIA_ADDRESS', address) ?? announced(sipHost),
    mediaPorts: read('SVC_MEDIA_PORTS', portRange) ?? { first: 20_000, last: 29_999 },
    localOrg: read('SVC_SIP_LOCAL_ORG', String),
    mediaServers: mediaServersIn(read, webUrl),
    fleets: fleetsIn(read),
    capacity: read('SVC_WORKER_CALLS', count) ?? callsPerCore * availableParallelism(),
    callsPerProcess: read('SVC_CALLS_PER_PROCESS', count) ?? 5,
    idleTimeoutMs: (read('SVC_CALL_IDLE_S', count) ?? 120) * secondMs,
    privateHosts: read('SVC_PRIVATE_HOSTS', list) ?? [],
    vendorFolders: read('SVC_VENDOR_FOLDERS', folders) ?? [],
    logLevel: read('SVC_LOG_LEVEL', logLevel) ?? 'info',
  }
}

/** Who this worker is to the gateway; another after every start. */
export const workerName = () => `${hostname().slice(0, 60)}-${process.pid}-${Date.now().toString(36)}`

/** A wildcard is for listening only. */
const announced = (host: string) => (host === '0.0.0.0' ? '127.0.0.1' : host)

function port(value: string): number {
  const number = /^\d{1,5}$/.test(value) ? Number(value) : -1
  if (number < 0 || number > 65_535) throw new SettingError(`is not a port from 0 to 65535: ${value}`)
  return number
}

function portRange(value: string): PortRange {
  const [, first = '', last = ''] = /^(\d{1,5})-(\d{1,5})$/.exec(value) ?? []
  const range = { first: Number(first), last: Number(last) }
  if (first === '' || range.first < 1024 || range.last > 65_535 || range.last - range.first < 3)
    throw new SettingError(`is not a range of ports from 1024 to 65535, as 20000-29999: ${value}`)
  return range
}

function address(value: string): string {
  if (!isIPv4(value)) throw new SettingError(`is not an IPv4 address: ${value}`)
  return value
}

function environment(value: string): Environment[] {
  const found = environments.find((name) => name === value)
  if (!found) throw new SettingError(`is not one of ${environments.join(', ')}: ${value}`)
  return [found]
}

function count(value: string): number {
  if (!/^[1-9]\d{0,5}$/.test(value)) throw new SettingError(`is not a whole number of 1 or more: ${value}`)
  return Number(value)
}

function webUrl(value: string): string {
  const parsed = URL.canParse(value) ? new URL(value) : undefined
  if (!parsed || !['http:', 'https:'].includes(parsed.protocol) || parsed.search || parsed.hash)
    throw new SettingError(`is not a URL that starts http:// or https://: ${value}`)
  return value.replace(/(?<!\/)\/+$/, '')
}

function logLevel(value: string): LogLevel {
  const level = logLevels.find((known) => known === value.toLowerCase())
  if (!level) throw new SettingError(`is not one of ${logLevels.join(', ')}: ${value}`)
  return level
}

function list(value: string): string[] {
  const items = value.split(',').map((item) => item.trim())
  return items.filter((item) => item !== '')
}

const folders = (value: string): string[] => list(value).map(folder)

function folder(value: string): string {
  const path = resolve(value)
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new SettingError(`holds ${value}, which is not a folder`)
  return path
}
