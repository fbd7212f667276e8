import { MigrationError } from './database/migrations.ts'
import { SettingError } from './foundation/setting-parsing.ts'
import { ListenFailure } from './http/listening.ts'

type SystemError = Error & {
  code?: string
  address?: string
  hostname?: string
  port?: number
  errors?: SystemError[]
}

/** Why the gateway does not start: one line that says what to do. */
export function startFailure(error: unknown): string {
  if (error instanceof SettingError || error instanceof MigrationError) return error.message
  if (error instanceof ListenFailure) return listenFailure(error, firstOf(error.cause))
  return databaseFailure(firstOf(error as SystemError))
}

export const exitStatusOf = (error: unknown) => (error instanceof SettingError ? 2 : 1)

/** A name with several addresses fails once for each. */
const firstOf = (error: SystemError) => error.errors?.[0] ?? error

function listenFailure(
  { setting, hostSetting }: ListenFailure,
  { code, address, hostname, port }: SystemError,
): string {
  if (code === 'EADDRINUSE')
    return `port ${port} on ${address} is taken: stop what listens there, or set ${setting}`
  if (code === 'EACCES') return `port ${port} may not be opened by this user: set ${setting} to 1024 or above`
  return `nothing can listen on ${address ?? hostname}: set ${hostSetting} to an address of this machine`
}

function databaseFailure(error: SystemError): string {
  const { code = '', message } = error
  const correct = 'start it, or correct SVC_DATABASE_URL'
  if (/^E[A-Z_]+$/.test(code) || /timeout|terminated/i.test(message))
    return `the database does not answer (${code || message}): ${correct}`
  if (code === '28P01' || code === '28000')
    return 'the database refuses this user or password: correct SVC_DATABASE_URL'
  if (code === '3D000') return `the database does not exist: create it, or correct SVC_DATABASE_URL`
  if (code === '57P03' || code === '53300')
    return `the database takes no connection now (${message}): try again in a moment`
  if (code === '53100') return 'the disk of the database is full: make room and start again'
  return `the gateway cannot start: ${message}`
}
