import { readCalled } from '../../src/telephony/dialling/called-number.ts'
import { firstRefusal, judgeDial, type DialFacts } from '../../src/telephony/dialling/guards.ts'
import { defaultLimits } from '../../src/telephony/dialling/effective-limits.ts'
import type { FromNumber } from '../../src/telephony/dialling/from-number.ts'

export const newYork = await readCalled('+12125550123')
export const noonInNewYork = new Date('2026-01-14T17:00:00Z')
export const nightInNewYork = new Date('2026-01-14T07:00:00Z')
export const fromNumber: FromNumber = {
  number: '+34910000001',
  account: 'peer',
  kind: 'sip',
  fallback_accounts: [],
  why_not: null,
}

/** The guards of an org that set nothing. */
export const usualGuards = {
  ...defaultLimits,
  calling_hours: null,
  consent_everywhere: false,
  per_number_day: null,
}

/** A dial that every guard lets pass. */
export const lawful: DialFacts = {
  kind: 'dial',
  agent: 'desk',
  env: 'production',
  now: noonInNewYork,
  to: newYork,
  from: undefined,
  numbers: [fromNumber],
  isHeld: true,
  isKnown: true,
  standing: 'consented',
  fact: { id: 'fact_1', kind: 'express', source: 'form', by: 'mem_1', call: null, at: 1 },
  isConsentSent: false,
  isOwnPhone: false,
  guards: usualGuards,
  counts: { minute: 0, day: 0, number: 0 },
}

/** The answer to the lawful dial if these facts were otherwise: status, reason and sentence, or `taken`. */
export function answerTo(facts: Partial<DialFacts>) {
  const refusal = firstRefusal(judgeDial({ ...lawful, ...facts }))
  return refusal ? [refusal.status, refusal.reason, refusal.detail] : 'taken'
}

export const reasonOf = (facts: Partial<DialFacts>) =>
  firstRefusal(judgeDial({ ...lawful, ...facts }))?.reason ?? 'taken'
