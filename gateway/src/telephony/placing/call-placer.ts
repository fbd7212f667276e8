import type { DialCall, DialledCall } from '@switchroom/contract/placing'
import { Layers } from '../../agents/stages/layers.ts'
import { readMetadata } from '../../calls/records/call-metadata.ts'
import type { CallRecords, ResolvedSettings } from '../../calls/records/records.ts'
import type { Caller } from '../../foundation/caller.ts'
import { secondMs } from '../../foundation/clock.ts'
import { badRequest, unprocessable } from '../../foundation/refusals.ts'
import type { LogTokens } from '../../http/log-tokens.ts'
import { readConsent } from '../consents/consent-parsing.ts'
import { recordConsent } from '../consents/consent-facts.ts'
import type { DialDecisions } from '../dialling/dial-decisions.ts'
import { longestCallS } from '../dialling/effective-limits.ts'
import type { Placements } from './placements.ts'

const shortestTokenS = 60
const longestTokenS = 86_400

export interface CallPlacerParts {
  dialDecisions: DialDecisions
  records: CallRecords
  placements: Placements
  logTokens: LogTokens
}

/** Calls that an org places: judged, written down and answered before anything rings. */
export class CallPlacer {
  readonly #parts: CallPlacerParts

  constructor(parts: CallPlacerParts) {
    this.#parts = parts
  }

  async dial(caller: Caller, agent: string, asked: DialCall): Promise<DialledCall> {
    const { dialDecisions, records, placements, logTokens } = this.#parts
    const logToken = readLogToken(asked.log)
    const metadata = readMetadata(asked.metadata ?? {})
    const consent = asked.consent && readConsent(asked.consent, 'consent.')
    let log_token: string | null = null
    const { from } = asked
    const target = await dialDecisions.read(caller, asked)
    const to = target.number
    if (target.peer && consent) throw badRequest('consent: is for numbers, and an extension needs none')
    const isConsentSent = consent !== undefined
    const wanted = { kind: 'dial', caller, agent, to, target, from, isConsentSent } as const
    const taken = await dialDecisions.take(wanted, async (tx, dial) => {
      const { call, org, env, by, at, guards } = dial
      const { number, account, fallback_accounts: fallbackAccounts } = dial.from
      const resolution = await records.beginIn(tx, dial, call, {
        channel: 'phone',
        direction: 'outbound',
        caller: number,
        called: to,
        contact: target.peer ? null : to,
        metadata,
        entries: () => [{ type: 'call.dialing', data: { to, from: number } }],
      })
      if (consent) await recordConsent(tx, { ...consent, org, number: to, by, call, at })
      if (logToken) log_token = await logTokens.mint(tx, call, logToken.lifetimeMs)
      const maxDurationS = longestCallS(guards, ownLongestS(resolution))
      const placement = { call, org, env, agent, to, from: number, account, fallbackAccounts, maxDurationS }
      await placements.add(tx, placement, at)
    })
    return { call: taken.call, agent, to, from: taken.from.number, env: taken.env, log_token }
  }
}

/** What the agent's own settings say. */
export const ownLongestS = ({ scopes, declaration }: ResolvedSettings) =>
  new Layers(
    declaration?.declared ?? {},
    scopes.map(({ config }) => config),
  ).get('max_duration_s')

/** A token for the call's log; without a lifetime it lives for a while after the call. */
interface LogTokenRequest {
  lifetimeMs?: number
}

/** Undefined if the dial asks for none. */
function readLogToken(log: DialCall['log']): LogTokenRequest | undefined {
  if (log === undefined || log === false) return undefined
  if (log === true) return {}
  const { ttl_s: lifetimeS, ...rest } = log
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) throw unprocessable(`log.${unknown}: is nothing that log takes`)
  if (lifetimeS === undefined) return {}
  if (!Number.isInteger(lifetimeS)) throw unprocessable('log.ttl_s: must be a whole number')
  if (Number(lifetimeS) < shortestTokenS || Number(lifetimeS) > longestTokenS)
    throw badRequest(`log.ttl_s is ${shortestTokenS} to ${longestTokenS} seconds`)
  return { lifetimeMs: Number(lifetimeS) * secondMs }
}
