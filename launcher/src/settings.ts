import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Failure } from './failures.ts'

/** The settings of the launcher; the gateway reads and checks the others. */
export interface Settings {
  dataFolder: string
  databaseUrl: string | undefined
  vaultKey: string | undefined
  operatorKey: string | undefined
  fleetKey: string | undefined
  demo: boolean
  host: string
  port: string
  voicePort: string
  sipHost: string
  sipPort: string
  /** The folder of the recordings. */
  recordings: string
  /** The folder of those that the worker could not hand over yet. */
  unsentRecordings: string
  console: string | undefined
  /** The org whose agents phones on this machine call by name. */
  localOrg: string
}

export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  const read = (name: string) => environment[name] || undefined // an empty value is the same as unset
  const dataFolder = resolve(read('SVC_DATA') ?? 'data')
  return {
    dataFolder,
    databaseUrl: read('SVC_DATABASE_URL'),
    vaultKey: read('SVC_VAULT_KEY'),
    operatorKey: read('SVC_OPERATOR_KEY'),
    fleetKey: read('SVC_FLEET_KEY'),
    demo: readSwitch('SVC_DEMO', read('SVC_DEMO') ?? 'on'),
    host: read('SVC_HOST') ?? '127.0.0.1',
    port: read('SVC_PORT') ?? '8080',
    voicePort: read('SVC_VOICE_PORT') ?? '8081',
    sipHost: read('SVC_SIP_HOST') ?? '127.0.0.1',
    sipPort: read('SVC_SIP_PORT') ?? '5060',
    recordings: read('SVC_RECORDINGS') ?? join(dataFolder, 'recordings'),
    unsentRecordings: read('SVC_UNSENT_RECORDINGS') ?? join(dataFolder, 'unsent-recordings'),
    console: read('SVC_CONSOLE') ?? builtConsole(dataFolder),
    localOrg: read('SVC_SIP_LOCAL_ORG') ?? 'demo',
  }
}

/** Built there if the checkout is not writable. */
function builtConsole(dataFolder: string): string | undefined {
  const folder = join(dataFolder, 'console')
  return existsSync(folder) ? folder : undefined
}

function readSwitch(name: string, value: string): boolean {
  const word = value.toLowerCase()
  if (['1', 'true', 'yes', 'on'].includes(word)) return true
  if (['0', 'false', 'no', 'off'].includes(word)) return false
  throw new Failure(`${name} must be on or off: use 1, true, yes, on, 0, false, no or off`, 2)
}

/** A wildcard address is for listening only. */
const localHosts: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

export function gatewayAddress({ host, port }: Settings): string {
  return addressOf(host, port)
}

export function voiceAddress({ host, voicePort }: Settings): string {
  return addressOf(host, voicePort)
}

/** For clients on this machine; undefined if the voice server chooses its port. */
export function voiceAddressTold(settings: Settings): string | undefined {
  if (settings.voicePort === '0') return undefined
  return voiceAddress({ ...settings, host: localHosts[settings.host] ?? settings.host })
}

/** What the gateway is started with unless it is set: to try it out, no operator has to approve a number. */
export const gatewayDefaults = (settings: Settings) => ({
  SVC_VOICE_URL: voiceAddressTold(settings),
  ...(settings.demo && { SVC_APPROVE_HOOKED: 'false' }),
})

/** Where phones on this machine reach the worker. */
export function phoneAddress({ sipHost, sipPort }: Settings): string {
  return `${sipHost === '0.0.0.0' || sipHost === '::' ? '127.0.0.1' : sipHost}:${sipPort}`
}

/** Where this machine reaches the gateway. */
export function gatewayAddressFromHere(settings: Settings): string {
  return gatewayAddress({ ...settings, host: localHosts[settings.host] ?? settings.host })
}

const addressOf = (host: string, port: string) => `http://${host.includes(':') ? `[${host}]` : host}:${port}`

/** The environment of the other processes, without the secrets that only the gateway uses. */
export function plainSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  // The path of a key's file is no key.
  const isSecret = (name: string) =>
    /^SVC_(?:.*KEY(?!_FILE$)|DATABASE_URL|REDIS_URL|SMTP_URL|S3_SECRET)/.test(name)
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !isSecret(name)))
}

/** Workers sign in at a media server as the gateway does. */
export function mediaKeys(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isTheirs = (name: string) => /^SVC_(?:SANDBOX_)?MEDIA_KEY$/.test(name)
  return Object.fromEntries(Object.entries(environment).filter(([name]) => isTheirs(name)))
}
