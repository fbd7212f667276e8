import type { NewEntry } from '@switchroom/contract/log'
import type { Leg } from '@switchroom/media/leg'
import { MediaError } from '@switchroom/media/plane'
import type { CallLog } from './call-log.ts'
import { GatewayAway, GatewayRefusal, type GatewayClient } from '../gateway-client.ts'
import type { LegDial } from '../process-messages.ts'

/** Rejects with a `MediaError` if the call is not answered, and gives up with the signal. */
export type DialLeg = (dial: LegDial, signal: AbortSignal) => Promise<Leg>

export interface TransferParts {
  gateway: GatewayClient
  leg: Leg
  dial: DialLeg
  log: CallLog
  /** The second person is being called: the caller waits. */
  onRinging: () => void
}

/** A caller who could not be sent on. */
export interface Stays {
  why: string
}

/** Sends a caller on. Answers whether they are gone, why they stay, or with the leg of the person who joined them. */
export async function transferred(
  parts: TransferParts,
  place: { call: string; agent: string; to: string },
  isCold: boolean,
  over: AbortSignal,
): Promise<Leg | 'gone' | Stays> {
  const { log } = parts
  const { to } = place
  let second: Leg | 'gone' | undefined
  try {
    second = isCold ? await sendOn(parts, place) : await bringIn(parts, place, over)
    await log.keep([{ type: 'call.transferred', data: { to, kind: kindOf(isCold), ok: true } }])
    return second
  } catch (error) {
    if (second && second !== 'gone') void second.hangUp().catch(() => {}) // the caller is gone
    const why = whyOf(error)
    const isToldAlready = error instanceof ToldByGateway
    if (!isToldAlready) await log.keep([untransferred(to, isCold, why)])
    return { why }
  }
}

/** What the log says if the caller was not sent on. */
export const untransferred = (to: string, isCold: boolean, why: string): NewEntry => ({
  type: 'call.transferred',
  data: stayed(to, isCold, why),
})

export const stayed = (to: string, isCold: boolean, why: string) => ({
  to,
  kind: kindOf(isCold),
  ok: false,
  why,
})

const kindOf = (isCold: boolean) => (isCold ? 'cold' : 'warm')

/** The gateway wrote down itself why the caller may not be sent on. */
class ToldByGateway extends Error {}

async function sendOn(
  { gateway, leg }: TransferParts,
  { agent, call, to }: { agent: string; call: string; to: string },
) {
  await gateway.coldTransfer(agent, call, to).catch((error: unknown) => {
    throw error instanceof GatewayRefusal ? new ToldByGateway(error.message) : error
  })
  await leg.transfer(to)
  return 'gone' as const
}

async function bringIn(
  { gateway, dial, onRinging }: TransferParts,
  { agent, call, to }: { agent: string; call: string; to: string },
  over: AbortSignal,
): Promise<Leg> {
  const { trunk, from, fallbacks, caller } = await gateway.outboundTrunk(agent, call, to)
  onRinging()
  return dial({ to, from, trunk, ...(fallbacks && { fallbacks }), ...(caller && { caller }) }, over)
}

function whyOf(error: unknown): string {
  const isSentence =
    error instanceof ToldByGateway ||
    error instanceof GatewayRefusal ||
    error instanceof GatewayAway ||
    error instanceof MediaError
  return isSentence ? error.message : 'it could not be done'
}
