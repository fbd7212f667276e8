import { pino, type DestinationStream, type Logger } from 'pino'
import type { LogLevel } from './settings.ts'

/** JSON lines; neither what is said in a call nor who calls is handed to it. */
export const makeLogger = (level: LogLevel, destination: DestinationStream): Logger =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: {
        err: ({ message, stack, code }: Error & { code?: string }) => ({ message, code, stack }),
      },
    },
    destination,
  )
