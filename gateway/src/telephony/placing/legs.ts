import { sipExtensionForm } from '@switchroom/contract/extensions'
import type { TransferAllowed, TransferAsked, TrunkAsked, TrunkForLeg } from '@switchroom/contract/placing'
import type { CarrierRoute } from '@switchroom/contract/media-plane'
import { e164 } from '@switchroom/contract/numbers'
import type { OutboundTrunk } from '@switchroom/media/plane'
import type { CallRecords } from '../../calls/records/records.ts'
import type { Log } from '../../calls/log/log.ts'
import { callLog } from '../../calls/log/entries.ts'
import type { Database } from '../../database/database.ts'
import { runnerOf, type Caller } from '../../foundation/caller.ts'
import { conflict, forbidden, notFound, Refusal } from '../../foundation/refusals.ts'
import { numberInQuery, type CalledNumber } from '../dialling/called-number.ts'
import { readDialledExtension } from '../dialling/dialled-extension.ts'
import type { DialDecisions } from '../dialling/dial-decisions.ts'
import { longestCallS } from '../dialling/effective-limits.ts'
import { readTransferTarget } from '../dialling/transfer-target.ts'
import { ownLongestS } from './call-placer.ts'
import { carrierRoutes, type TrunkOf } from './carrier-routes.ts'
import * as store from './placements.store.ts'

export interface LegsParts {
  database: Database
  log: Log
  records: CallRecords
  dialDecisions: DialDecisions
  trunkOf: TrunkOf
}

/** Calls to others from within a live call, placed by the worker that runs it. */
export class Legs {
  readonly #parts: LegsParts

  constructor(parts: LegsParts) {
    this.#parts = parts
  }

  /** The trunk for a leg into the call; for the first leg of a dialled one, which was judged, without a further guard. */
  async trunk(caller: Caller, agent: string, asked: TrunkAsked): Promise<TrunkForLeg> {
    const live = await this.#live(caller, agent, asked.call)
    refuseUnlessRuns(caller, live)
    const to = numberInQuery(asked.to)
    const { id: call, account, max_duration_s } = live
    if (account !== null && max_duration_s !== null && live.caller !== null && live.called === to)
      return { trunk: await this.#trunkOf(live.org, account), from: live.caller, to, call, max_duration_s }
    const from = asked.from === undefined ? undefined : numberInQuery(asked.from)
    const resolution = await this.#parts.records.resolve(live, call, 'web')
    const target = await this.#extension(live, to)
    const taken = await this.#parts.dialDecisions.take({ kind: 'leg', caller, agent, to, target, from, call })
    const { number, account: own, fallback_accounts } = taken.from
    const { routes } = await carrierRoutes(this.#parts.trunkOf, live.org, [own, ...fallback_accounts])
    const [first, ...fallbacks] = routes
    if (!first) throw unableToDial(own)
    return {
      trunk: first.trunk,
      from: number,
      to,
      call,
      max_duration_s: longestCallS(taken.guards, ownLongestS(resolution)),
      ...(live.direction === 'inbound' && live.caller !== null && isForwarding(routes, live.caller)),
      ...(fallbacks.length > 0 && { fallbacks }),
    }
  }

  /** Whether the caller may be sent on; a refusal leaves them where they are, and their log says so. */
  async transfer(caller: Caller, agent: string, asked: TransferAsked): Promise<TransferAllowed> {
    const live = await this.#live(caller, agent, asked.call)
    const to = numberInQuery(asked.to)
    const target = await readTransferTarget(to, await store.findOwnPeer(this.#parts.database, live))
    try {
      await this.#parts.dialDecisions.take({ kind: 'transfer', caller, agent, to, target, call: live.id })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const data = { to, kind: 'cold', ok: false, why: error.message }
      await this.#parts.log.append(callLog(live), [{ type: 'call.transferred', data }])
      throw error
    }
    return { call: live.id, to }
  }

  /** What `to` is at the SIP account that the call is held over, if it is an extension or a SIP address there. */
  async #extension(live: store.LiveCall, to: string): Promise<CalledNumber | undefined> {
    const user = /^sip:([^@]+)@/i.exec(to)?.[1]
    if (user === undefined && !sipExtensionForm.test(to)) return undefined
    const { database } = this.#parts
    const peer = await store.findOwnPeer(database, live)
    const target = await readTransferTarget(to, peer)
    if (!peer || target.fault !== null) return target
    const { org, env } = live
    const { account } = peer
    return readDialledExtension(database, { org, env, extension: user ?? to, account, from: undefined })
  }

  async #live({ org, env }: Caller, agent: string, call: string): Promise<store.LiveCall> {
    const live = await store.findLive(this.#parts.database, call, { org, env, agent })
    if (!live) throw notFound(`there is no call ${call} of ${agent}`)
    if (live.ended_at !== null) throw conflict('this call has ended').as('CALL_ENDED')
    return live
  }

  async #trunkOf(org: string, account: string): Promise<OutboundTrunk> {
    const trunk = await this.#parts.trunkOf(org, account)
    if (!trunk) throw unableToDial(account)
    return trunk
  }
}

const unableToDial = (account: string) =>
  conflict(`the account ${account} can no longer dial: see GET /v1/carrier/outbound`)

/** Whether a carrier wants to know who is forwarded: by a number, if they show one. */
const isForwarding = (routes: readonly CarrierRoute[], caller: string) =>
  e164.test(caller) && routes.some(({ trunk }) => trunk.identity === 'diversion') && { caller }

/** The answer holds the password of the org's trunk. A call that no worker has taken is the platform's to dial. */
function refuseUnlessRuns(caller: Caller, { id, channel, runner }: store.LiveCall) {
  const isSpoken = channel === 'phone' || channel === 'web'
  if (isSpoken && runnerOf(caller) === (runner ?? 'fleet')) return
  throw forbidden(
    `the trunk is answered only to the worker that runs the spoken call ${id}: ask with the key that opened it`,
  )
}
