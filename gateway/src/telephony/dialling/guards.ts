import type {
  CallingHours,
  DialGuards,
  DialKind,
  DialReason,
  GuardName,
  GuardSeen,
  JudgedGuard,
  StandingFact,
} from '@switchroom/contract/dialling'
import type { ConsentStanding } from '@switchroom/contract/consents'
import type { Environment } from '@switchroom/contract/scopes'
import { listed } from '../../foundation/refusals.ts'
import { cutToLine } from '../../foundation/text.ts'
import { chosenFrom, whyNoFrom, type FromNumber } from './from-number.ts'
import { isPlanOne, type CalledNumber, type ExtensionPeer } from './called-number.ts'
import { hoursFor, zonesAt } from './calling-hours.ts'

/** Everything that a dial is judged by, read in one statement. */
export interface DialFacts {
  kind: DialKind
  agent: string
  env: Environment
  now: Date
  to: CalledNumber
  /** What the request wants to dial from; without it, the agent's first number. */
  from: string | undefined
  /** The agent's, oldest first. */
  numbers: readonly FromNumber[]
  isHeld: boolean
  isKnown: boolean
  standing: ConsentStanding
  /** The row that decided the standing. */
  fact: StandingFact | null
  isConsentSent: boolean
  /** Whether the number is the asker's own phone. */
  isOwnPhone: boolean
  guards: DialGuards
  /** Rows of the last minute, dials taken in a day, and of those the ones to this number. */
  counts: { minute: number; day: number; number: number }
}

interface Seen {
  saw: GuardSeen
  /** Why the dial is refused; undefined if it passes. */
  refusal?: string | undefined
}

interface Guard {
  name: GuardName
  status: number
  reason: DialReason
  /** Which dials it is there for. */
  kinds: readonly DialKind[]
  /** Whether the sandbox and the asker's own phone are free of it. */
  mayBeExempt: boolean
  judge: (facts: DialFacts) => Seen
}

const every: readonly DialKind[] = ['dial', 'leg', 'transfer']

/** In the order they are judged: the first that refuses is the dial's answer. */
const guards: readonly Guard[] = [
  { name: 'shape', status: 400, reason: 'bad_number', kinds: every, mayBeExempt: false, judge: shape },
  { name: 'from', status: 409, reason: 'no_from', kinds: ['dial', 'leg'], mayBeExempt: false, judge: from },
  { name: 'holder', status: 409, reason: 'not_held', kinds: ['dial'], mayBeExempt: false, judge: holder },
  { name: 'stranger', status: 403, reason: 'stranger', kinds: ['dial'], mayBeExempt: false, judge: stranger },
  { name: 'list', status: 403, reason: 'opted_out', kinds: ['dial'], mayBeExempt: true, judge: list },
  { name: 'consent', status: 403, reason: 'no_consent', kinds: ['dial'], mayBeExempt: true, judge: consent },
  { name: 'hours', status: 403, reason: 'quiet_hours', kinds: ['dial'], mayBeExempt: true, judge: hours },
  {
    name: 'per_minute',
    status: 429,
    reason: 'per_minute',
    kinds: every,
    mayBeExempt: false,
    judge: perMinute,
  },
  { name: 'per_day', status: 429, reason: 'per_day', kinds: every, mayBeExempt: false, judge: perDay },
  {
    name: 'per_number_day',
    status: 429,
    reason: 'too_often',
    kinds: every,
    mayBeExempt: true,
    judge: perNumberDay,
  },
]

/** Every guard of this kind of dial with what it saw, in order. Nothing is asked and nothing is kept. */
export function judgeDial(facts: DialFacts): JudgedGuard[] {
  const exemption = exemptionOf(facts)
  return guards
    .filter(({ kinds }) => kinds.includes(facts.kind))
    .map(({ name, status, reason, mayBeExempt, judge }) => {
      const { saw, refusal } = judge(facts)
      const passed = { guard: name, exempt_by: null, status: null, reason: null, detail: null, saw }
      if (refusal === undefined) return { ...passed, verdict: 'pass' }
      if (mayBeExempt && exemption) return { ...passed, verdict: 'exempt', exempt_by: exemption }
      return { ...passed, verdict: 'refuse', status, reason, detail: refusal }
    })
}

export type RefusingGuard = JudgedGuard & { status: number; reason: DialReason; detail: string }

export const firstRefusal = (judged: readonly JudgedGuard[]): RefusingGuard | undefined =>
  judged.find((one): one is RefusingGuard => one.verdict === 'refuse')

function exemptionOf({ env, isOwnPhone }: DialFacts): 'sandbox' | 'own_phone' | null {
  if (env === 'sandbox') return 'sandbox'
  return isOwnPhone ? 'own_phone' : null
}

function shape({ to }: DialFacts): Seen {
  const refusal = to.fault === null ? undefined : `${asTyped(to)} cannot be dialled: ${to.fault}`
  return { saw: { calling_code: to.callingCode, national_digits: to.nationalDigits }, refusal }
}

function from(facts: DialFacts): Seen {
  const chosen = chosenFrom(facts.numbers, facts.from)
  const numbers = facts.numbers.map(({ number, account, why_not }) => ({ number, account, why_not }))
  return {
    saw: { from: chosen?.number ?? null, numbers },
    refusal: whyNoFrom(facts, chosen),
  }
}

function holder({ agent, env, isHeld }: DialFacts): Seen {
  const refusal = isHeld ? undefined : `no app holds ${agent} in ${env}: connect one, and dial again`
  return { saw: { held: isHeld }, refusal }
}

function stranger({ to, env, isKnown, guards: { dial_anywhere } }: DialFacts): Seen {
  if (to.peer) return unapproved(to, to.peer, dial_anywhere)
  const isLetBy = isKnown || dial_anywhere
  return {
    saw: { known: isKnown, dial_anywhere },
    refusal: isLetBy
      ? undefined
      : `${asTyped(to)} never called or wrote to this org in ${env}, and new contacts are dialled only if the operator set dial_anywhere`,
  }
}

/** The operator knows whose phones answer at an address that they approved. */
function unapproved(to: CalledNumber, peer: ExtensionPeer, dial_anywhere: boolean): Seen {
  const { account, isApproved, dials_at } = peer
  return {
    saw: { known: isApproved, dial_anywhere },
    refusal:
      isApproved || dial_anywhere
        ? undefined
        : `${asTyped(to)} is dialled at ${dials_at}, which is no address in a network of ${account} that the operator approved: set outbound_host to one, or ask the operator for dial_anywhere`,
  }
}

function list({ to, standing, fact }: DialFacts): Seen {
  return {
    saw: { standing, fact },
    refusal:
      standing === 'opted_out'
        ? `${to.number} is on the do-not-call list: only a consent that is recorded at POST /v1/org/consents takes it off`
        : undefined,
  }
}

function consent({ to, standing, fact, isConsentSent, guards: { consent_everywhere } }: DialFacts): Seen {
  const needed = isPlanOne(to) || (consent_everywhere && !to.peer)
  const isGiven = standing === 'consented' || isConsentSent
  return {
    saw: { needed, standing, fact, sent: isConsentSent },
    refusal:
      needed && !isGiven
        ? `no_consent: ${to.number} has no consent on file, and none was sent with the dial`
        : undefined,
  }
}

function hours({ to, now, guards: { calling_hours } }: DialFacts): Seen {
  const held = hoursFor(isPlanOne(to), calling_hours)
  if (held === null || to.peer) return { saw: { hours: null, zones: [] } }
  const zones = zonesAt(to.zones, held, now)
  const saw = { hours: held, zones }
  if (zones.some(({ inside }) => inside)) return { saw }
  const where = zones.map(({ zone, local }) => `${local} in ${zone}`)
  return { saw, refusal: `quiet_hours: ${to.number} ${quiet(where, held)}` }
}

function quiet(where: readonly string[], { start, end, days }: CallingHours): string {
  if (where.length === 0) return 'is in no time zone that is known, so no hour is surely one to ring it'
  const open = start < end ? `from ${start} to ${end}, ${days.join(' ')}` : 'never'
  return `is rung ${open}, and it is ${listed(where)}`
}

function perMinute({ counts: { minute }, guards: { per_minute } }: DialFacts): Seen {
  return paced(
    minute,
    per_minute,
    () =>
      `per_minute: in the last 60 seconds ${minute} of at most ${per_minute} dials were asked for, refused ones counted: wait a minute`,
  )
}

function perDay({ counts: { day }, guards: { per_day } }: DialFacts): Seen {
  return paced(
    day,
    per_day,
    () => `per_day: in the last 24 hours ${day} of at most ${per_day} dials were taken: wait`,
  )
}

const planOnePerNumberDay = 3

function perNumberDay({ to, counts: { number: used }, guards: { per_number_day } }: DialFacts): Seen {
  const most = per_number_day ?? (isPlanOne(to) ? planOnePerNumberDay : null)
  return paced(
    used,
    most,
    () => `too_often: in the last 24 hours ${to.number} was dialled ${used} of at most ${most} times: wait`,
  )
}

function paced(used: number, most: number | null, sentence: () => string): Seen {
  const left = most === null ? null : Math.max(0, most - used)
  return { saw: { used, most, left }, refusal: left === 0 ? sentence() : undefined }
}

const asTyped = ({ number }: CalledNumber) => cutToLine(number, 'an empty number')
