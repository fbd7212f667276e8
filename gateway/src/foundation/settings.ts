import { resolve } from 'node:path'
import { plans, type Plan } from '@switchroom/contract/accounts'
import type { VoiceDoing } from '@switchroom/contract/voice-server'
import { dayMs, minuteMs, secondMs } from './clock.ts'
import { readLimitSettings, type LimitSettings } from './limit-settings.ts'
import { readTelephonySettings, type TelephonySettings } from './telephony-settings.ts'
import { readVaultKeys } from './vault-key.ts'
import {
  amount,
  databaseUrl,
  daysAsMs,
  dnsServer,
  flag,
  folder,
  hostName,
  itemOf,
  listOf,
  logLevels,
  mailFrom,
  network,
  pemFile,
  port,
  secondsAsMs,
  SettingError,
  smtpUrl,
  webUrl,
  wholeNumber,
  type LogLevel,
  type Network,
} from './setting-parsing.ts'

/** The deployment's settings, read once at start. `docs/settings.md` explains each. */
export interface Settings {
  vaultKey: Buffer
  /** The one before it, while the key is changed. */
  olderVaultKey: Buffer | undefined
  operatorKey: string | undefined
  fleetKey: string | undefined
  databaseUrl: string
  host: string
  port: number
  domain: string | undefined
  /** Base of every link and redirect address, without a trailing slash. */
  baseUrl: string
  /** Where clients ask for speech, as they are told. */
  voiceUrl: string | undefined
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
  /** Hosts an org may name although they are not public, as written. */
  privateHosts: string[]
  /** The DNS server to ask instead of the system's. */
  resolver: string | undefined
  /** Trust roots added for outbound TLS, in PEM. */
  caPem: string | undefined
  /** Folders of further vendor packages. */
  vendorFolders: string[]
  /** The row of vendors a new deployment starts with. */
  providersFile: string
  /** The platform's own keys, by vendor in lower case with `_` for `-`; kept in memory only. */
  providerKeys: ReadonlyMap<string, string>
  ratesFile: string
  sampleTimeoutMs: number
  trialTimeoutMs: number
  vendorWindowMs: number
  /** How long an app may take to run a tool. */
  toolTimeoutMs: number
  /** How long nobody may say anything before a chat ends. */
  chatIdleMs: number
  /** What one key may do at the voice server in a minute. */
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
    /** What answers go out on where the org brought no token of its own. */
    accessToken: string | undefined
  }
  /** Where the sound of calls is kept; unset, none is. */
  recordingsFolder: string | undefined
  /** Where the built console lies, if not in the checkout. */
  consoleFolder: string | undefined
  logLevel: LogLevel
  limits: LimitSettings
  /** How long the log of a call that ended is kept; for ever where unsaid. */
  logKeptMs: number | undefined
  /** How long the audit log is kept; undefined is for ever. */
  auditKeptMs: number | undefined
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

  const [vaultKey, olderVaultKey] = readVaultKeys(environment['SVC_VAULT_KEY'])
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
    operatorKey: read('SVC_OPERATOR_KEY', String),
    fleetKey: read('SVC_FLEET_KEY', String),
    host: read('SVC_HOST', String) ?? '127.0.0.1',
    port: listenPort,
    domain,
    baseUrl:
      read('SVC_BASE_URL', webUrl) ?? (domain ? `https://${domain}` : `http://127.0.0.1:${listenPort}`),
    voiceUrl: read('SVC_VOICE_URL', webUrl),
    dashboardPort,
    dashboardUrl: read('SVC_DASHBOARD_URL', webUrl) ?? `http://127.0.0.1:${dashboardPort}`,
    trustedProxies: read('SVC_TRUSTED_PROXIES', listOf(network)) ?? [],
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
    providerKeys: readProviderKeys(environment),
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
    newOrgPlan: read('SVC_NEW_ORG_PLAN', itemOf(plans)) ?? 'pro',
    newOrgCredits: read('SVC_NEW_ORG_CREDITS', amount) ?? 1000,
    telephony: readTelephonySettings(read, domain),
    messaging: {
      appSecret: read('SVC_MSGAPP_APP_SECRET', String),
      verifyToken: read('SVC_MSGAPP_VERIFY_TOKEN', String),
      accessToken: read('SVC_MSGAPP_ACCESS_TOKEN', String),
    },
    recordingsFolder: read('SVC_RECORDINGS', (path) => resolve(path)),
    consoleFolder: read('SVC_CONSOLE', (path) => resolve(path)),
    logLevel: read('SVC_LOG_LEVEL', itemOf(logLevels)) ?? 'info',
    limits: readLimitSettings(read),
    logKeptMs: read('SVC_LOG_DAYS', daysAsMs),
    auditKeptMs: (read('SVC_AUDIT_DAYS', wholeNumber) ?? 730) * dayMs || undefined,
  }
}

const providerKeyPrefix = 'SVC_PROVIDER_KEY_'

function readProviderKeys(environment: Environment): Map<string, string> {
  const keys = Object.entries(environment).flatMap(([name, value]) => {
    const key = value?.trim()
    return key && name.startsWith(providerKeyPrefix)
      ? [[name.slice(providerKeyPrefix.length).toLowerCase(), key] as const]
      : []
  })
  return new Map(keys)
}
