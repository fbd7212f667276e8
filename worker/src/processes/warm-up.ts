import type { InstalledVendors } from '@switchroom/kit/installed'
import { rehearse } from '@switchroom/session/spoken/rehearsal'
import type { Logger } from 'pino'
import type { GatewayClient } from '../gateway-client.ts'

/** What is not warm by then, the first call waits for. */
const withinMs = 60_000
/** It takes half a second; a slow machine is allowed for, and one that cannot hold it takes calls nevertheless. */
const rehearsedWithinMs = 20_000

export interface WarmUpParts {
  gateway: Pick<GatewayClient, 'connect'>
  vendors: Pick<InstalledVendors, 'all'>
  logger: Logger
  /** Loads what calls in rooms of a LiveKit server need, if there may be any. */
  loadRooms: () => Promise<unknown>
  /** Whether calls may use vendors that run on this machine. */
  usesMachine: boolean
}

/**
 * Loads and runs once what a first call would wait for: the conversation with its models, every vendor's adapter,
 * what vendors run on this machine, and a connection to the gateway. What fails here fails in a call, which says so.
 */
export async function warmUp({
  gateway,
  vendors,
  logger,
  loadRooms,
  usesMachine,
}: WarmUpParts): Promise<void> {
  const signal = AbortSignal.timeout(withinMs)
  const attempt = attemptWith(logger)
  await Promise.all([
    attempt('a conversation', rehearse(AbortSignal.timeout(rehearsedWithinMs))),
    attempt('the gateway', gateway.connect(signal)),
    usesMachine
      ? warmVendors(vendors, logger)
      : Promise.all(vendors.all.map((vendor) => attempt(vendor.name, vendor.whyBroken()))),
    attempt('rooms', loadRooms()),
  ])
}

/** Also keeps loaded what they run on this machine. */
export async function warmVendors(vendors: WarmUpParts['vendors'], logger: Logger): Promise<void> {
  const signal = AbortSignal.timeout(withinMs)
  const attempt = attemptWith(logger)
  await Promise.all(vendors.all.map((vendor) => attempt(vendor.name, vendor.warm(signal))))
}

const attemptWith = (logger: Logger) => async (what: string, run: Promise<unknown>) => {
  await run.catch((error: unknown) => logger.debug({ err: error, what }, 'not warm before the first call'))
}
