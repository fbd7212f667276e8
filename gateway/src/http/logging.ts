import { pino, type DestinationStream, type Logger } from 'pino'
import type { LogLevel } from '../foundation/setting-parsing.ts'

/** JSON lines; what a request carries is never handed to it (see observation.ts). */
export const makeLogger = (level: LogLevel, destination: DestinationStream): Logger =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
    },
    destination,
  )

/** A database's own words may quote a row (`detail`, `where`), so only these four go to the log. */
function describeError(error: Error & { code?: string; constraint?: string }) {
  return { message: error.message, code: error.code, constraint: error.constraint, stack: error.stack }
}
