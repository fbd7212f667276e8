import { ListenError } from '@switchroom/process/listeners'
import { SettingError } from '@switchroom/process/setting-reader'
import { DirectAddressFailure } from './database/address-check.ts'
import { DatabaseUnavailable } from './database/database.ts'
import { MigrationError } from './database/migrations.ts'

type SystemError = Error & {
  code?: string
  errors?: SystemError[]
}

/** Why the gateway does not start: one line that says what to do. */
export function startFailure(error: unknown): string {
  const isOurs = [SettingError, MigrationError, ListenError].some((known) => error instanceof known)
  if (isOurs) return (error as Error).message
  const isDirect = error instanceof DirectAddressFailure
  const cause = isDirect || error instanceof DatabaseUnavailable ? error.cause : error
  return databaseFailure(
    firstOf(cause as SystemError),
    isDirect ? 'SVC_DATABASE_DIRECT_URL' : 'SVC_DATABASE_URL',
  )
}

/** A name with several addresses fails once for each. */
const firstOf = (error: SystemError) => error.errors?.[0] ?? error

function databaseFailure(error: SystemError, setting: string): string {
  const { code = '', message } = error
  const correct = `start it, or correct ${setting}`
  if (/^E[A-Z_]+$/.test(code) || /timeout|terminated/i.test(message))
    return `the database does not answer (${code || message}): ${correct}`
  if (code === '28P01' || code === '28000')
    return `the database refuses this user or password: correct ${setting}`
  if (code === '3D000') return `the database does not exist: create it, or correct ${setting}`
  if (code === '57P03' || code === '53300')
    return `the database takes no connection now (${message}): try again in a moment`
  if (code === '53100') return 'the disk of the database is full: make room and start again'
  return `the gateway cannot start: ${message}`
}
