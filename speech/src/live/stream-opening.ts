import type { AskGrant, Grant } from '@switchroom/contract/voice-server'
import type { GatewayClient } from '../gateway/gateway-client.ts'
import { Refusal } from '../foundation/refusals.ts'
import { liveArguments, type LiveArguments } from './live-arguments.ts'

/** A stream before its socket is open: what was asked for, and the grant for it or why there is none. */
export interface Opening {
  given: LiveArguments
  grant: Grant | Refusal
}

/**
 * Refuses a bad key while a refusal still has a status. What is wrong with the arguments is sent on the
 * socket, and only after the gateway has granted a vendor.
 */
export async function open(
  gateway: GatewayClient,
  keyId: string,
  query: Readonly<Record<string, unknown>>,
): Promise<Opening> {
  const { refusal, ...given } = liveArguments(query)
  const { model, language, diarize } = given
  if (refusal?.code === 'BAD_MODEL') return { given, grant: refusal }
  const ask: AskGrant = { doing: 'streams', key_id: keyId, model, language, diarize }
  const grant = await granted(gateway, ask)
  if (grant instanceof Refusal && grant.code === 'DIARIZE_UNSUPPORTED')
    letGo(gateway, await granted(gateway, { ...ask, diarize: false })) // no money comes before no speakers
  if (!refusal) return { given, grant }
  letGo(gateway, grant)
  return { given, grant: refusal }
}

/** What was granted and is not used. */
export function letGo(gateway: GatewayClient, grant: Grant | Refusal) {
  if (!(grant instanceof Refusal)) gateway.settle(grant.id, { seconds: 0 })
}

async function granted(gateway: GatewayClient, ask: AskGrant): Promise<Grant | Refusal> {
  try {
    return await gateway.grant(ask)
  } catch (error) {
    if (error instanceof Refusal && error.status === 400) return error
    throw error
  }
}
