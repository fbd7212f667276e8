import type { DialCall, DialledCall } from '@switchroom/contract/placing'
import { Layers } from '../../agents/stages/layers.ts'
import type { CallRecords, ResolvedSettings } from '../../calls/records/records.ts'
import type { Caller } from '../../foundation/caller.ts'
import type { LogTokens } from '../../http/log-tokens.ts'
import { readConsent } from '../consents/consent-labels.ts'
import { recordConsent } from '../consents/recording.ts'
import type { Dialling } from '../dialling/dialling.ts'
import { longestCallS } from '../dialling/in-force.ts'
import { readLogWish } from './log-wish.ts'
import type { Placements } from './placements.ts'

export interface PlacingParts {
  dialling: Dialling
  records: CallRecords
  placements: Placements
  logTokens: LogTokens
}

/** Calls that an org places: judged, written down and answered before anything rings. */
export class Placing {
  readonly #parts: PlacingParts

  constructor(parts: PlacingParts) {
    this.#parts = parts
  }

  async dial(caller: Caller, agent: string, asked: DialCall): Promise<DialledCall> {
    const { dialling, records, placements, logTokens } = this.#parts
    const wish = readLogWish(asked.log)
    const consent = asked.consent && readConsent(asked.consent, 'consent.')
    let log_token: string | null = null
    const { to, from } = asked
    const wanted = { kind: 'dial', caller, agent, to, from, isConsentSent: consent !== undefined } as const
    const taken = await dialling.take(wanted, async (tx, dial) => {
      const { call, org, env, by, at, guards } = dial
      const { number, account } = dial.from
      const resolution = await records.beginIn(tx, dial, call, {
        channel: 'phone',
        direction: 'outbound',
        caller: number,
        called: to,
        contact: to,
        entries: () => [{ type: 'call.dialing', data: { to, from: number } }],
      })
      if (consent) await recordConsent(tx, { ...consent, org, number: to, by, call, at })
      if (wish) log_token = await logTokens.mint(tx, call, wish.lifetimeMs)
      const maxDurationS = longestCallS(guards, ownLongestS(resolution))
      await placements.add(tx, { call, org, env, agent, to, from: number, account, maxDurationS }, at)
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
