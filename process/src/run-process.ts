import { handOverSignals } from './first-process.ts'
import type { OpenLog } from './logging.ts'
import { SettingError } from './setting-reader.ts'

/** npm and a terminal both deliver one Ctrl-C, so a second signal counts only after this time. */
const repeatedAfterMs = 500

export interface RunningProcess {
  log: OpenLog
  /** On SIGTERM: accepts no new work, and resolves when the work under way is done. */
  drain?(): Promise<void>
  stop(): Promise<void>
  /** Sent to the parent process before "ready". */
  messages?: readonly object[]
}

/**
 * Runs a server process. It sends its parent "ready" once it handles signals. SIGTERM drains, if the process can,
 * and stops; SIGINT, or a parent that is gone, stops; a repeated signal does not wait for the drain or the stop.
 */
export async function runProcess(
  start: () => Promise<RunningProcess>,
  describeFailure: (error: unknown) => string = messageOf,
): Promise<void> {
  const hasParent = process.connected
  try {
    handleSignals(await start(), hasParent)
  } catch (error) {
    process.stderr.write(`${describeFailure(error)}\n`)
    process.exit(error instanceof SettingError ? 2 : 1)
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

function handleSignals(
  { log: { logger, flush }, messages = [], ...running }: RunningProcess,
  hasParent: boolean,
) {
  let draining: Promise<void> | undefined
  let stoppingSinceMs: number | undefined

  const stop = async (reason: string) => {
    if (stoppingSinceMs !== undefined) return
    stoppingSinceMs = performance.now()
    logger.info({ reason }, 'stopping')
    await running.stop()
    logger.info('stopped')
    flush()
    process.exit(0)
  }
  const take = (signal: NodeJS.Signals) => {
    // A parent with a channel kills by itself what takes too long.
    const isAlone = process.send === undefined
    if (stoppingSinceMs !== undefined && isAlone && performance.now() - stoppingSinceMs > repeatedAfterMs) {
      logger.warn({ reason: `${signal} again` }, 'stopped at once')
      flush()
      process.exit(1)
    }
    if (signal === 'SIGTERM' && running.drain && !draining) {
      draining = running.drain()
      void draining.then(() => stop('drained'))
    } else void stop(draining && signal === 'SIGTERM' ? 'SIGTERM again' : signal)
  }

  setInterval(() => {}, 2 ** 31 - 1) // it runs until it is stopped, though every other timer may be unref'd
  handOverSignals()
  process.on('SIGTERM', take)
  process.on('SIGINT', take)
  process.on('disconnect', () => void stop('the launcher is gone'))
  if (hasParent && !process.connected) {
    void stop('the launcher is gone') // it went meanwhile
    return
  }
  for (const message of [...messages, 'ready']) tell(message)
}

/** A parent that goes at this moment reads nothing: "disconnect" is what stops the process then. */
const tell = (message: object | string) => process.send?.(message, undefined, undefined, () => {})
