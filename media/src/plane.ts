import type { FailedAccount } from '@switchroom/contract/dialling'
import type { CarrierRoute } from '@switchroom/contract/media-plane'
import type { Environment } from '@switchroom/contract/scopes'
import { plainLine, sentenceOfSip } from './failure-words.ts'
import type { FenceTerms, Trunk } from '@switchroom/contract/trunk-terms'

/** Who may send calls to some numbers: a trunk of the media server, or a row of the embedded plane. */
export interface Fence extends FenceTerms {
  /** `<org>/<env>/<catalogue kind>`, `<org>/<env>/sip/<account>` or `<org>/<env>/own/<number>`. */
  name: string
  /** IPv4 networks; never empty, because no network at all would be every one. */
  networks: readonly string[]
  /** Never empty, because no number at all would be every one. */
  numbers: readonly string[]
  /** What a SIP peer proves itself with. */
  pair?: { username: string; password: string }
}

/** Everything that is admitted for one org in one environment. */
export interface Admission {
  org: string
  env: Environment
  /** The workers that its calls are handed to. */
  fleet: string
  fences: readonly Fence[]
}

/** `stands` was found as wanted, `done` was written now, `to do` would be. */
export type Verdict = 'stands' | 'done' | 'to do'

export interface AdmissionVerdicts {
  /** By the fence's name, those taken away included. */
  fences: ReadonlyMap<string, Verdict>
  /** Of the rule `<org>/<env>`. */
  rule: Verdict
}

/** A call to place: out through a trunk that it names. */
export interface PlacedCall {
  call: string
  org: string
  env: Environment
  agent: string
  fleet: string
  to: string
  from: string
  trunk: OutboundTrunk
  /** The org's account that the trunk is of. */
  account: string
  /** To try in this order if the trunk cannot carry the call. */
  fallbacks?: readonly CarrierRoute[]
  maxDurationS: number
}

export type OutboundTrunk = Trunk

/** A browser's spoken call before anyone joined. */
export interface BrowserCall {
  call: string
  org: string
  env: Environment
  agent: string
  fleet: string
  ttlS: number
}

/** What a browser joins its call with at the media server itself. */
export interface Ticket {
  url: string
  token: string
}

/** How a dial went: answered, or why not. */
export type PlacingOutcome = 'answered' | 'busy' | 'no_answer' | 'dial_failed'

/** How a dial went; if it was not answered, why. */
export interface PlacingResult {
  outcome: PlacingOutcome
  /** The far end's final answer, if it refused. */
  sip_status: number | null
  sip_reason: string | null
  /** In words. */
  why: string | null
  /** Which account it went through in the end; absent if it went through none. */
  account?: string
  /** Those that were tried before, if any were. */
  failed_accounts?: readonly FailedAccount[]
}

const silent = { sip_status: null, sip_reason: null }

export const placedAndAnswered: PlacingResult = { outcome: 'answered', ...silent, why: null }

export const unanswered = (
  outcome: Exclude<PlacingOutcome, 'answered'>,
  why: string | null,
): PlacingResult => ({ outcome, ...silent, why })

export const refusedBySip = (status: number, reason: string, why?: string): PlacingResult => ({
  outcome: outcomeOfSip(status),
  sip_status: status,
  sip_reason: plainLine(reason) || null,
  why: why ?? sentenceOfSip(status, reason),
})

/** What a far end's final answer that is no success says. */
export function outcomeOfSip(status: number): Exclude<PlacingOutcome, 'answered'> {
  if ([486, 600, 603].includes(status)) return 'busy'
  if ([408, 480, 487].includes(status)) return 'no_answer'
  return 'dial_failed'
}

/** Where calls come from and go to. Failures are thrown as `MediaError`. */
export interface MediaPlane {
  /** The fences of ours that exist there, of every org; foreign ones are neither shown nor touched. */
  list(): Promise<Fence[]>
  /** The orgs of which there are fences of ours. */
  orgs(): Promise<string[]>
  /** Whether each is admitted as it is wanted, so that `admit` would do nothing; read at once for all of them. */
  areAdmitted(wanted: readonly Admission[]): Promise<boolean[]>
  /** What `admit` would do, without doing it. */
  preview(wanted: Admission): Promise<AdmissionVerdicts>
  /** Makes these the only fences of the org and environment; numbers move off a fence before they move on. */
  admit(wanted: Admission): Promise<AdmissionVerdicts>
  /** Admits both environments of several orgs at once, or nothing of it; absent if each is written on its own. */
  admitAll?(wanted: readonly Admission[]): Promise<void>
  /** Takes a number off every fence of the org there, whichever environment's; `stands` when none listed it. */
  withdraw(org: string, number: string): Promise<'stands' | 'done'>
  /** Resolves once the call is answered or has failed; an abort hangs up. */
  place(call: PlacedCall, signal: AbortSignal): Promise<PlacingResult>
  /** Lets a browser into the call, to which a worker is sent with it; null if the workers take its sound themselves. */
  ticket(call: BrowserCall): Promise<Ticket | null>
  /** The call that a ticket of this plane lets a browser into, also once it has expired for joining; else null. */
  holderOf(token: string): Promise<{ call: string; url: string } | null>
  /** Sends the caller on to another number by REFER. */
  transfer(call: string, to: string): Promise<void>
  /** Ends the call for everybody in it; nothing when it is over. */
  hangUp(call: string): Promise<void>
}

/** The media plane refused or could not be reached; its sentence is for people. */
export class MediaError extends Error {
  override readonly name = 'MediaError'
}
