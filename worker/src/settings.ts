import { isIPv6 } from 'node:net'
import { availableParallelism, hostname, tmpdir, userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import { environments, type Environment } from '@switchroom/contract/scopes'
import { readMetricsAddress, type MetricsAddress } from '@switchroom/process/metrics-address'
import {
  dnsServer,
  folder,
  ipAddress,
  ipv4Address,
  ipv6Address,
  listOf,
  logLevel,
  oneOf,
  port as readPort,
  positiveNumber,
  webUrl,
  type LogLevel,
} from '@switchroom/process/setting-parsing'
import type { PortRange } from '@switchroom/media/rtp/media-ports'
import { privateNetwork } from '@switchroom/process/private-networks'
import { SettingError, settingReader, type EnvironmentVariables } from '@switchroom/process/setting-reader'
import type { HealthAddress } from './health.ts'
import { recordingFormats, type RecordingFormat } from './call/recording-formats.ts'
import { readFleets, readMediaServers, type MediaServers } from './livekit/livekit-settings.ts'

const callsPerCore = 20
const secondMs = 1000

export interface SipTls {
  port: number
  /** Paths. */
  files: { cert: string; key: string; ca?: string }
}

/** The worker's settings, read once at start. `docs/voice.md` explains each. */
export interface Settings {
  /** Where the gateway answers, without a trailing slash. */
  gatewayUrl: string
  fleetKey: string
  environments: readonly Environment[]
  sipHost: string
  /** Undefined for 5060 or, if that is taken and phones of this machine may call, any free port. */
  sipPort: number | undefined
  /** Calls over TLS; undefined without a certificate. */
  sipTls: SipTls | undefined
  /** The address that the other side sends its sound to. */
  mediaAddress: string
  /** The same for far ends of IPv6. */
  mediaAddress6: string | undefined
  mediaPorts: PortRange
  /** The org whose agents phones on this machine may call by name. */
  localOrg: string | undefined
  /** LiveKit servers, for environments whose calls come from one and not from this worker's own port. */
  mediaServers: MediaServers
  /** The agent name under which the worker registers with a LiveKit server. */
  fleets: Record<Environment, string>
  /** How many calls run at the same time. */
  capacity: number
  callsPerProcess: number
  /** A call ends after this long without speech. */
  idleTimeoutMs: number
  /** The DNS server that trunks are looked up at; undefined for the system's. */
  resolver: string | undefined
  /** Hosts of trunks that may be at an address that is not public. */
  privateHosts: string[]
  /** Networks that are not public, which trunks may be in. */
  privateNetworks: string[]
  /** Folders of further vendor packages. */
  vendorFolders: string[]
  metrics: MetricsAddress
  /** Where its health is asked for; undefined for nowhere. */
  health: HealthAddress | undefined
  recordingFormat: RecordingFormat
  /** Keeps recordings that the gateway could not store yet. */
  unsentRecordings: string
  logLevel: LogLevel
}

export function readSettings(variables: EnvironmentVariables): Settings {
  const read = settingReader(variables)
  const fleetKey = read('SVC_FLEET_KEY', String)
  if (fleetKey === undefined)
    throw new SettingError('SVC_FLEET_KEY is not set: give the worker the one that the gateway has')
  const sipHost = read('SVC_SIP_HOST', ipAddress) ?? '127.0.0.1'
  return {
    gatewayUrl: read('SVC_GATEWAY_URL', webUrl) ?? `http://127.0.0.1:${read('SVC_PORT', readPort) ?? 8080}`,
    fleetKey,
    environments: read('SVC_WORKER_ENV', (value) => [oneOf(environments)(value)]) ?? environments,
    sipHost,
    sipPort: read('SVC_SIP_PORT', readPort),
    sipTls: readSipTls(read),
    mediaAddress: read('SVC_MEDIA_ADDRESS', ipv4Address) ?? reachableHost(sipHost),
    mediaAddress6: read('SVC_MEDIA_ADDRESS_6', ipv6Address) ?? reachableHost6(sipHost),
    mediaPorts: read('SVC_MEDIA_PORTS', portRange) ?? { first: 20_000, last: 29_999 },
    localOrg: read('SVC_SIP_LOCAL_ORG', String),
    mediaServers: readMediaServers(read),
    fleets: readFleets(read),
    capacity: read('SVC_WORKER_CALLS', positiveNumber) ?? callsPerCore * availableParallelism(),
    callsPerProcess: read('SVC_CALLS_PER_PROCESS', positiveNumber) ?? 5,
    idleTimeoutMs: (read('SVC_CALL_IDLE_S', positiveNumber) ?? 120) * secondMs,
    resolver: read('SVC_RESOLVER', dnsServer),
    privateHosts: read('SVC_PRIVATE_HOSTS', listOf(String)) ?? [],
    privateNetworks: read('SVC_PRIVATE_NETWORKS', listOf(privateNetwork)) ?? [],
    vendorFolders: read('SVC_VENDOR_FOLDERS', listOf(folder)) ?? [],
    metrics: readMetricsAddress(read, 'SVC_WORKER_METRICS_PORT', { port: 8085, ports: 10 }),
    health: readHealth(read),
    recordingFormat: read('SVC_RECORDING_FORMAT', oneOf(recordingFormats)) ?? 'wav',
    unsentRecordings:
      read('SVC_UNSENT_RECORDINGS', (path) => resolve(path)) ??
      join(tmpdir(), `switchroom-unsent-recordings-${userInfo().uid}`),
    logLevel: read('SVC_LOG_LEVEL', logLevel) ?? 'info',
  }
}

/** The worker's name at the gateway, new at every start. */
export const workerName = () => `${hostname().slice(0, 60)}-${process.pid}-${Date.now().toString(36)}`

/** A wildcard is an address to listen on, not one to reach. */
const reachableHost = (host: string) => (host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host)
const reachableHost6 = (host: string) => (host !== '::' && isIPv6(host) ? host : undefined)

function readHealth(read: ReturnType<typeof settingReader>): HealthAddress | undefined {
  const port = read('SVC_WORKER_HEALTH_PORT', readPort)
  return port === undefined ? undefined : { host: read('SVC_HOST', String) ?? '127.0.0.1', port }
}

function readSipTls(read: ReturnType<typeof settingReader>): SipTls | undefined {
  const [cert, key] = [read('SVC_SIP_TLS_CERT_FILE', String), read('SVC_SIP_TLS_KEY_FILE', String)]
  const ca = read('SVC_SIP_TLS_CA_FILE', String)
  const port = read('SVC_SIP_TLS_PORT', readPort) ?? 5061
  if (cert === undefined && key === undefined && ca === undefined) return undefined
  if (cert === undefined || key === undefined)
    throw new SettingError(
      `${cert === undefined ? 'SVC_SIP_TLS_CERT_FILE' : 'SVC_SIP_TLS_KEY_FILE'} is not set: calls over TLS need a certificate and its key`,
    )
  return { port, files: { cert, key, ...(ca !== undefined && { ca }) } }
}

function portRange(value: string): PortRange {
  const [, first = '', last = ''] = /^(\d{1,5})-(\d{1,5})$/.exec(value) ?? []
  const range = { first: Number(first), last: Number(last) }
  if (first === '' || range.first < 1024 || range.last > 65_535 || range.last - range.first < 3)
    throw new SettingError(`is not a range of ports from 1024 to 65535, as 20000-29999: ${value}`)
  return range
}
