import { readVaultKey } from './vault-key.ts'
import {
  databaseUrl,
  dnsServer,
  flag,
  hostName,
  listOf,
  logLevel,
  mailFrom,
  network,
  pemFile,
  port,
  SettingError,
  smtpUrl,
  webUrl,
  wholeNumber,
  type LogLevel,
  type Network,
} from './setting-forms.ts'

/** The deployment's settings, read once at start. `docs/settings.md` explains each. */
export interface Settings {
  vaultKey: Buffer
  operatorKey: string | undefined
  fleetKey: string | undefined
  databaseUrl: string
  host: string
  port: number
  domain: string | undefined
  /** Base of every link and redirect address, without a trailing slash. */
  baseUrl: string
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

  const vaultKey = readVaultKey(environment['SVC_VAULT_KEY'])
  const database = read('SVC_DATABASE_URL', databaseUrl)
  if (database === undefined)
    throw new SettingError(
      'SVC_DATABASE_URL is not set: name a PostgreSQL database, or use npm start, which brings one',
    )

  const listenPort = read('SVC_PORT', port) ?? 8080
  const domain = read('SVC_DOMAIN', hostName)
  return {
    vaultKey,
    databaseUrl: database,
    operatorKey: read('SVC_OPERATOR_KEY', String),
    fleetKey: read('SVC_FLEET_KEY', String),
    host: read('SVC_HOST', String) ?? '127.0.0.1',
    port: listenPort,
    domain,
    baseUrl:
      read('SVC_BASE_URL', webUrl) ?? (domain ? `https://${domain}` : `http://127.0.0.1:${listenPort}`),
    trustedProxies: read('SVC_TRUSTED_PROXIES', listOf(network)) ?? [],
    minPassword: read('SVC_MIN_PASSWORD', wholeNumber) ?? 8,
    signup: read('SVC_SIGNUP', flag) ?? false,
    signupKey: read('SVC_SIGNUP_KEY', String),
    smtpUrl: read('SVC_SMTP_URL', smtpUrl),
    mailFrom: read('SVC_MAIL_FROM', mailFrom),
    privateHosts: read('SVC_PRIVATE_HOSTS', listOf(String)) ?? [],
    resolver: read('SVC_RESOLVER', dnsServer),
    caPem: read('SVC_CA_FILE', pemFile),
    logLevel: read('SVC_LOG_LEVEL', logLevel) ?? 'info',
  }
}
