import { pino, type DestinationStream, type Logger } from 'pino'
import type { LogLevel } from './setting-parsing.ts'

/** Fields that never reach the log, if a caller logs one by mistake. Requests are logged by route, never as sent. */
const redacted = [
  'authorization',
  'cookie',
  'password',
  'secret',
  'api_key',
  'credentials',
  'headers',
  'body',
]

/** JSON lines. */
export const makeLogger = (level: LogLevel, destination: DestinationStream): Logger =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
      redact: redacted,
    },
    destination,
  )

/** A database's error may quote a row (`detail`, `where`), so only these four fields go to the log. */
function describeError(error: Error & { code?: string; constraint?: string }) {
  return { message: error.message, code: error.code, constraint: error.constraint, stack: error.stack }
}

export interface OpenLog {
  logger: Logger
  flush: () => void
}

/** A logger on standard output that writes in blocks, at the latest every half second. */
export function openLog(level: LogLevel, blockBytes = 16_000): OpenLog {
  const destination = pino.destination({ fd: 1, sync: false, minLength: blockBytes, periodicFlush: 500 })
  return { logger: makeLogger(level, destination), flush: () => destination.flushSync() }
}
