import {
  readConnectionLimits,
  readTrustedProxies,
  type ConnectionLimits,
} from '@switchroom/process/connection-limits'
import { readMetricsAddress, type MetricsAddress } from '@switchroom/process/metrics-address'
import {
  folder,
  listOf,
  logLevel,
  port,
  secondsAsMs,
  socketUrl,
  webUrl,
  type LogLevel,
  type Network,
} from '@switchroom/process/setting-parsing'
import { SettingError, settingReader, type EnvironmentVariables } from '@switchroom/process/setting-reader'

/** The voice server's settings, read once at start. `docs/settings.md` explains each. */
export interface Settings {
  host: string
  port: number
  /** Where the gateway answers, without a trailing slash. */
  gatewayUrl: string
  fleetKey: string
  /** Where clients open live transcriptions, if that is set. */
  socketUrl: string | undefined
  /** Folders of further vendor packages. */
  vendorFolders: string[]
  /** How long a voice may take until its first sound, and how long it may pause after that. */
  speechTimeoutMs: number
  transcribeTimeoutMs: number
  connections: ConnectionLimits & { trustedProxies: Network[] }
  metrics: MetricsAddress
  logLevel: LogLevel
}

export function readSettings(variables: EnvironmentVariables): Settings {
  const read = settingReader(variables)
  const fleetKey = read('SVC_FLEET_KEY', String)
  if (fleetKey === undefined)
    throw new SettingError('SVC_FLEET_KEY is not set: give the voice server the one that the gateway has')
  return {
    host: read('SVC_HOST', String) ?? '127.0.0.1',
    port: read('SVC_VOICE_PORT', port) ?? 8081,
    gatewayUrl: read('SVC_GATEWAY_URL', webUrl) ?? `http://127.0.0.1:${read('SVC_PORT', port) ?? 8080}`,
    fleetKey,
    socketUrl: read('SVC_WS_URL', socketUrl),
    vendorFolders: read('SVC_VENDOR_FOLDERS', listOf(folder)) ?? [],
    speechTimeoutMs: read('SVC_SPEECH_TIMEOUT_S', secondsAsMs) ?? 15_000,
    transcribeTimeoutMs: read('SVC_TRANSCRIBE_TIMEOUT_S', secondsAsMs) ?? 120_000,
    connections: { ...readConnectionLimits(read), trustedProxies: readTrustedProxies(read) },
    metrics: readMetricsAddress(read, 'SVC_VOICE_METRICS_PORT', { port: 8084, ports: 1 }),
    logLevel: read('SVC_LOG_LEVEL', logLevel) ?? 'info',
  }
}
