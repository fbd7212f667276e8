import { resolve } from 'node:path'
import { plans, type Plan } from '@switchroom/contract/accounts'
import type { VoiceDoing } from '@switchroom/contract/voice-server'
import { readTrustedProxies } from '@switchroom/process/connection-limits'
import {
  amount,
  dnsServer,
  flag,
  folder,
  hostName,
  listOf,
  logLevel,
  oneOf,
  pemFile,
  port,
  secondsAsMs,
  socketUrl,
  webUrl,
  wholeNumber,
  type LogLevel,
  type Network,
} from '@switchroom/process/setting-parsing'
import { SettingError, settingReader, type EnvironmentVariables } from '@switchroom/process/setting-reader'
import { readS3Settings, type S3Settings } from './blobs/s3-settings.ts'
import { minuteMs, secondMs } from './clock.ts'
import { readDatabasePools, type DatabasePoolSettings } from './database-settings.ts'
import { readLimitSettings, type LimitSettings } from './limit-settings.ts'
import { readAuditKeptMs, readLives, type SetLives } from './retention-settings.ts'
import { readTelephonySettings, type TelephonySettings } from './telephony-settings.ts'
import { readVaultKeys } from './vault-key.ts'
import { databaseUrl, mailFrom, redisUrl, smtpUrl } from './setting-parsing.ts'

/** The deployment's settings, read once at start. `docs/settings.md` explains each. */
export interface Settings {
  vaultKey: Buffer
  /** The one before it, while the key is changed. */
  olderVaultKey: Buffer | undefined
  operatorKey: string | undefined
  fleetKey: string | undefined
  databaseUrl: string
  /** The same database, past the pooler that the other URL leads to. */
  databaseDirectUrl: string | undefined
  /** Carries notices between gateways instead of PostgreSQL. */
  redisUrl: URL | undefined
  databasePools: DatabasePoolSettings
  host: string
  port: number
  domain: string | undefined
  /** Base of every link and redirect address, without a trailing slash. */
  baseUrl: string
  /** The voice server's address that clients get from discovery. */
  voiceUrl: string | undefined
  /** Where clients open live transcriptions, if that is another address. */
  voiceSocketUrl: string | undefined
  dashboardPort: number
  /** Where the dashboard is reached, without a trailing slash. */
  dashboardUrl: string
  trustedProxies: Network[]
  minPassword: number
  signup: boolean
  /** Bearer of the page in front of sign-up; kept in memory only. */
  signupKey: string | undefined
  smtpUrl: URL | undefined
  mailFrom: string | undefined
  /** Hosts that an org may name although they are not public, as written. */
  privateHosts: string[]
  /** The DNS server to ask instead of the system's. */
  resolver: string | undefined
  /** Trust roots added for outbound TLS, in PEM. */
  caPem: string | undefined
  /** Folders of further vendor packages. */
  vendorFolders: string[]
  /** The vendors that a new deployment starts with. */
  providersFile: string
  /** The platform's own keys, by vendor in lower case with `_` for `-`; kept in memory only. */
  providerKeys: ReadonlyMap<string, string>
  ratesFile: string
  sampleTimeoutMs: number
  trialTimeoutMs: number
  vendorWindowMs: number
  /** How long an app may take to run a tool. */
  toolTimeoutMs: number
  /** A chat ends after this long without a message. */
  chatIdleMs: number
  /** Requests to the voice server that one key may make in a minute. */
  voiceRates: Record<VoiceDoing, number>
  /** Live transcriptions open at once on one key. */
  maxStreams: number
  newOrgPlan: Plan
  newOrgCredits: number
  telephony: TelephonySettings
  /** The messaging platform's credentials; without the first two its webhook is closed. */
  messaging: {
    appSecret: string | undefined
    verifyToken: string | undefined
    /** Sends for orgs that have no token of their own. */
    accessToken: string | undefined
  }
  /** Where the sound of calls is kept; unset, and without a bucket, none is. */
  recordingsFolder: string | undefined
  /** Where it is kept instead; what the folder has is moved there. */
  s3: S3Settings | undefined
  /** Where the built console lies, if not in the checkout. */
  consoleFolder: string | undefined
  logLevel: LogLevel
  limits: LimitSettings
  lives: SetLives
  /** How long the audit log is kept; undefined is for ever. */
  auditKeptMs: number | undefined
}

export function readSettings(variables: EnvironmentVariables): Settings {
  const read = settingReader(variables)

  const [vaultKey, olderVaultKey] = readVaultKeys(variables['SVC_VAULT_KEY'])
  const database = read('SVC_DATABASE_URL', databaseUrl)
  if (database === undefined)
    throw new SettingError(
      'SVC_DATABASE_URL is not set: name a PostgreSQL database, or use npm start, which brings one',
    )

  const listenPort = read('SVC_PORT', port) ?? 8080
  const dashboardPort = read('SVC_DASHBOARD_PORT', port) ?? 8082
  const domain = read('SVC_DOMAIN', hostName)
  return {
    vaultKey,
    olderVaultKey,
    databaseUrl: database,
    databaseDirectUrl: read('SVC_DATABASE_DIRECT_URL', databaseUrl),
    redisUrl: read('SVC_REDIS_URL', redisUrl),
    databasePools: readDatabasePools(read),
    operatorKey: read('SVC_OPERATOR_KEY', String),
    fleetKey: read('SVC_FLEET_KEY', String),
    host: read('SVC_HOST', String) ?? '127.0.0.1',
    port: listenPort,
    domain,
    baseUrl:
      read('SVC_BASE_URL', webUrl) ?? (domain ? `https://${domain}` : `http://127.0.0.1:${listenPort}`),
    voiceUrl: read('SVC_VOICE_URL', webUrl),
    voiceSocketUrl: read('SVC_WS_URL', socketUrl),
    dashboardPort,
    dashboardUrl: read('SVC_DASHBOARD_URL', webUrl) ?? `http://127.0.0.1:${dashboardPort}`,
    trustedProxies: readTrustedProxies(read),
    minPassword: read('SVC_MIN_PASSWORD', wholeNumber) ?? 8,
    signup: read('SVC_SIGNUP', flag) ?? false,
    signupKey: read('SVC_SIGNUP_KEY', String),
    smtpUrl: read('SVC_SMTP_URL', smtpUrl),
    mailFrom: read('SVC_MAIL_FROM', mailFrom),
    privateHosts: read('SVC_PRIVATE_HOSTS', listOf(String)) ?? [],
    resolver: read('SVC_RESOLVER', dnsServer),
    caPem: read('SVC_CA_FILE', pemFile),
    vendorFolders: read('SVC_VENDOR_FOLDERS', listOf(folder)) ?? [],
    providersFile:
      read('SVC_PROVIDERS', (file) => resolve(file)) ?? resolve(import.meta.dirname, '../../providers.json'),
    providerKeys: readProviderKeys(variables),
    ratesFile: read('SVC_RATES', (file) => resolve(file)) ?? resolve(import.meta.dirname, '../../rates.json'),
    trialTimeoutMs: read('SVC_TRIAL_TIMEOUT_S', secondsAsMs) ?? 10 * secondMs,
    sampleTimeoutMs: read('SVC_SAMPLE_TIMEOUT_S', secondsAsMs) ?? 10 * secondMs,
    chatIdleMs: read('SVC_CHAT_IDLE_S', secondsAsMs) ?? 30 * minuteMs,
    toolTimeoutMs: read('SVC_TOOL_TIMEOUT_S', secondsAsMs) ?? 30 * secondMs,
    vendorWindowMs: read('SVC_VENDOR_WINDOW_S', secondsAsMs) ?? 2 * minuteMs,
    voiceRates: {
      speech: read('SVC_RATE_SPEECH', wholeNumber) ?? 120,
      voices: read('SVC_RATE_VOICES', wholeNumber) ?? 120,
      transcriptions: read('SVC_RATE_TRANSCRIPTIONS', wholeNumber) ?? 60,
      streams: read('SVC_RATE_STREAMS', wholeNumber) ?? 60,
    },
    maxStreams: read('SVC_MAX_STREAMS', wholeNumber) ?? 20,
    newOrgPlan: read('SVC_NEW_ORG_PLAN', oneOf(plans)) ?? 'pro',
    newOrgCredits: read('SVC_NEW_ORG_CREDITS', amount) ?? 1000,
    telephony: readTelephonySettings(read, domain),
    messaging: {
      appSecret: read('SVC_MSGAPP_APP_SECRET', String),
      verifyToken: read('SVC_MSGAPP_VERIFY_TOKEN', String),
      accessToken: read('SVC_MSGAPP_ACCESS_TOKEN', String),
    },
    recordingsFolder: read('SVC_RECORDINGS', (path) => resolve(path)),
    s3: readS3Settings(read),
    consoleFolder: read('SVC_CONSOLE', (path) => resolve(path)),
    logLevel: read('SVC_LOG_LEVEL', logLevel) ?? 'info',
    limits: readLimitSettings(read),
    lives: readLives(read),
    auditKeptMs: readAuditKeptMs(read),
  }
}

const providerKeyPrefix = 'SVC_PROVIDER_KEY_'

function readProviderKeys(variables: EnvironmentVariables): Map<string, string> {
  const keys = Object.entries(variables).flatMap(([name, value]) => {
    const key = value?.trim()
    return key && name.startsWith(providerKeyPrefix)
      ? [[name.slice(providerKeyPrefix.length).toLowerCase(), key] as const]
      : []
  })
  return new Map(keys)
}
