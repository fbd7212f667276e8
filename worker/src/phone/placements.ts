import type { BrowserOffer, Placement } from '@switchroom/contract/media-plane'
import type { TrunkTestTask } from '@switchroom/contract/trunk-tests'
import type { Environment } from '@switchroom/contract/scopes'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { GatewayClient } from '../gateway-client.ts'
import type { RunningCalls } from '../processes/running-calls.ts'

const pauseMs = 1_000

export interface PlacementsParts {
  gateway: GatewayClient
  logger: Logger
  calls: RunningCalls
  dial: (placement: Placement) => Promise<void>
  answer: (offer: BrowserOffer) => void
  test: (task: TrunkTestTask) => Promise<void>
}

/** Asks for calls to dial and browsers to answer, for as long as there is a place for one. */
export async function takePlacements(
  { gateway, logger, calls, dial, answer, test: tryTrunk }: PlacementsParts,
  env: Environment,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    if (calls.isFull) {
      await sleep(pauseMs, undefined, { signal }).catch(() => {})
      continue
    }
    try {
      const { placement, offer, test } = await gateway.takePlacement(env, signal)
      if (test)
        void tryTrunk(test)
          .catch((error: unknown) => logger.warn({ err: error, test: test.id }, 'a test of a trunk broke'))
          .finally(calls.occupy())
      if (offer) answer(offer)
      if (placement)
        void dial(placement)
          .catch((error: unknown) => logger.warn({ err: error, call: placement.call }, 'a dial broke'))
          .finally(calls.occupy())
    } catch (error) {
      if (signal.aborted) return
      logger.debug({ err: error, env }, 'no calls could be asked for')
      await sleep(pauseMs, undefined, { signal }).catch(() => {})
    }
  }
}
