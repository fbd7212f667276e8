import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dialKinds, guardNames, weekdays, type DialKind, type GuardName } from '@switchroom/contract/dialling'
import * as fc from 'fast-check'
import {
  answerTo,
  fromNumber,
  lawful,
  newYork,
  nightInNewYork,
  reasonOf,
  usualGuards,
} from '../../../testing/telephony/lawful-dial.ts'
import type { FromNumber } from './from-number.ts'
import { readCalled } from './called-number.ts'
import { firstRefusal, judgeDial, type DialFacts } from './guards.ts'

test('each guard of the table refuses with its own status, reason and sentence (N-007, ND-47, ND-48, ND-57)', async () => {
  assert.equal(answerTo({}), 'taken')
  const satellite = await readCalled('+8811234567')
  const table: [Partial<DialFacts>, number, string, string][] = [
    [
      { to: satellite },
      400,
      'bad_number',
      '+8811234567 cannot be dialled: +881 is a satellite or global-service range',
    ],
    [
      { numbers: [] },
      409,
      'no_from',
      'no phone number is routed to desk in production: it can dial from no number yet',
    ],
    [
      { from: '+34910000009' },
      409,
      'no_from',
      '+34910000009 is no phone number of desk in production: it can dial from +34910000001',
    ],
    [{ isHeld: false }, 409, 'not_held', 'no app holds desk in production: connect one, and dial again'],
    [
      { isKnown: false },
      403,
      'stranger',
      '+12125550123 never called or wrote to this org in production, and new contacts are dialled only if the operator set dial_anywhere',
    ],
    [
      { standing: 'opted_out' },
      403,
      'opted_out',
      '+12125550123 is on the do-not-call list: only a consent that is recorded at POST /v1/org/consents takes it off',
    ],
    [
      { standing: 'unknown' },
      403,
      'no_consent',
      'no_consent: +12125550123 has no consent on file, and none was sent with the dial',
    ],
    [
      { now: nightInNewYork },
      403,
      'quiet_hours',
      'quiet_hours: +12125550123 is rung from 08:00 to 21:00, mon tue wed thu fri sat sun, and it is wed 02:00 in America/New_York',
    ],
    [
      { to: await readCalled('+18005550123') },
      403,
      'quiet_hours',
      'quiet_hours: +18005550123 is in no time zone that is known, so no hour is surely one to ring it',
    ],
    [
      { guards: { ...usualGuards, calling_hours: { start: '22:00', end: '23:00', days: [...weekdays] } } },
      403,
      'quiet_hours',
      'quiet_hours: +12125550123 is rung never, and it is wed 12:00 in America/New_York',
    ],
    [
      { counts: { minute: 6, day: 0, number: 0 } },
      429,
      'per_minute',
      'per_minute: in the last 60 seconds 6 of at most 6 dials were asked for, refused ones counted: wait a minute',
    ],
    [
      { counts: { minute: 0, day: 200, number: 0 } },
      429,
      'per_day',
      'per_day: in the last 24 hours 200 of at most 200 dials were taken: wait',
    ],
    [
      { counts: { minute: 0, day: 0, number: 3 } },
      429,
      'too_often',
      'too_often: in the last 24 hours +12125550123 was dialled 3 of at most 3 times: wait',
    ],
  ]
  for (const [facts, ...expected] of table) assert.deepEqual(answerTo(facts), expected)
})

/** What breaks each guard, in their order. */
const breaking: Record<GuardName, Partial<DialFacts>> = {
  shape: { to: { ...newYork, fault: 'it is wrong' } },
  from: { numbers: [] },
  holder: { isHeld: false },
  stranger: { isKnown: false },
  list: { standing: 'opted_out' },
  consent: { standing: 'unknown' },
  hours: { now: nightInNewYork },
  per_minute: { counts: { minute: 6, day: 0, number: 0 } },
  per_day: { counts: { minute: 0, day: 200, number: 0 } },
  per_number_day: { counts: { minute: 0, day: 0, number: 3 } },
}
const reasonBy: Record<GuardName, string> = {
  shape: 'bad_number',
  from: 'no_from',
  holder: 'not_held',
  stranger: 'stranger',
  list: 'opted_out',
  consent: 'no_consent',
  hours: 'quiet_hours',
  per_minute: 'per_minute',
  per_day: 'per_day',
  per_number_day: 'too_often',
}

/** Facts that break all of these guards at once. */
function broken(names: readonly GuardName[]): Partial<DialFacts> {
  const counts = { minute: 0, day: 0, number: 0 }
  if (names.includes('per_minute')) counts.minute = 6
  if (names.includes('per_day')) counts.day = 200
  if (names.includes('per_number_day')) counts.number = 3
  const facts = names.map((name) => breaking[name])
  // Opted out is not consented either.
  const standing = names.includes('list') ? { standing: 'opted_out' as const } : {}
  return Object.assign({}, ...facts, standing, { counts })
}

test('of any guards that refuse at once the first of the order answers, and all of them are listed (ND-47, T-04)', () => {
  fc.assert(
    fc.property(fc.subarray([...guardNames], { minLength: 1 }), (names) => {
      const judged = judgeDial({ ...lawful, ...broken(names) })
      assert.deepEqual(
        judged.map(({ guard }) => guard),
        guardNames,
      )
      const first = guardNames.find((name) => names.includes(name))
      assert.equal(firstRefusal(judged)?.guard, first)
      const expected = new Set(names)
      if (names.includes('list')) expected.add('consent')
      assert.deepEqual(
        judged.filter(({ verdict }) => verdict === 'refuse').map(({ guard, reason }) => [guard, reason]),
        guardNames.filter((name) => expected.has(name)).map((name) => [name, reasonBy[name]]),
      )
    }),
    { numRuns: 1024 },
  )
})

test('a leg is held to shape, its `from` and the pace, a transfer to shape and the pace (ND-63, ND-64, T-22)', () => {
  const heldTo: Record<DialKind, readonly GuardName[]> = {
    dial: guardNames,
    leg: ['shape', 'from', 'per_minute', 'per_day', 'per_number_day'],
    transfer: ['shape', 'per_minute', 'per_day', 'per_number_day'],
  }
  for (const kind of dialKinds)
    for (const name of guardNames) {
      const expected = heldTo[kind].includes(name) ? reasonBy[name] : 'taken'
      assert.equal(reasonOf({ ...broken([name]), kind }), expected, `${kind} ${name}`)
    }
})

test('the sandbox and one’s own phone are free of the list, consent, hours and the number’s count, and of nothing else (ND-54, T-15, T-16)', () => {
  const free = new Set<GuardName>(['list', 'consent', 'hours', 'per_number_day'])
  for (const [exemption, facts] of [
    ['sandbox', { env: 'sandbox' }],
    ['own_phone', { isOwnPhone: true }],
  ] as const)
    for (const name of guardNames) {
      const judged = judgeDial({ ...lawful, ...broken([name]), ...facts })
      const one = judged.find(({ guard }) => guard === name)
      assert.deepEqual(
        [one?.verdict, one?.exempt_by],
        free.has(name) ? ['exempt', exemption] : ['refuse', null],
        `${exemption} ${name}`,
      )
    }
})

test('dial_anywhere lets strangers be dialled and lifts nothing else (N-268, N-269, N-286, N-513)', () => {
  const anywhere = { guards: { ...usualGuards, dial_anywhere: true } }
  assert.equal(reasonOf({ isKnown: false, ...anywhere }), 'taken')
  for (const name of guardNames)
    if (name !== 'stranger') assert.equal(reasonOf({ ...broken([name]), ...anywhere }), reasonBy[name])
})

test('a consent sent with the dial counts as one on file, and never lifts the list (N-274, N-276, N-278, N-513, T-05)', () => {
  assert.equal(reasonOf({ standing: 'unknown', isConsentSent: true }), 'taken')
  assert.equal(reasonOf({ standing: 'opted_out', isConsentSent: true }), 'opted_out')
  assert.equal(reasonOf({ standing: 'unknown' }), 'no_consent')
})

test('a consent does not lift the hours (N-286)', () => {
  assert.equal(reasonOf({ now: nightInNewYork, standing: 'consented', isConsentSent: true }), 'quiet_hours')
})

test('without `from` the first number is dialled from, and refused if that one cannot dial (T-20, ND-50, N-247, N-249, N-250, N-515)', () => {
  const can: FromNumber = { ...fromNumber, number: '+34910000002' }
  const said: Record<NonNullable<FromNumber['why_not']>, string> = {
    bought: 'was bought by the platform and dials through no account of the org',
    hooked: 'was hooked by the org itself and dials through no account',
    no_account: 'lives in no account of the org',
    forgotten: 'lives in an account that was forgotten',
    no_host: 'lives in a SIP account without outbound_host',
    not_provisioned: 'lives in an account that dials once POST /v1/carrier/outbound was called for it',
  }
  for (const [why, words] of Object.entries(said)) {
    const first: FromNumber = { ...fromNumber, why_not: why as keyof typeof said }
    assert.deepEqual(answerTo({ numbers: [first, can] }), [
      409,
      'no_from',
      `+34910000001 ${words}: desk in production cannot dial from it, it can dial from +34910000002`,
    ])
    assert.equal(answerTo({ numbers: [first, can], from: '+34910000002' }), 'taken')
    assert.equal(reasonOf({ numbers: [can, first] }), 'taken')
  }
})

test('a guard says what it saw, whether it refuses or not (ND-47)', () => {
  const seen = Object.fromEntries(
    judgeDial({ ...lawful, counts: { minute: 2, day: 7, number: 1 } }).map(({ guard, saw }) => [guard, saw]),
  )
  assert.deepEqual(seen, {
    shape: { calling_code: '1', national_digits: 10 },
    from: {
      from: fromNumber.number,
      numbers: [{ number: fromNumber.number, account: 'peer', why_not: null }],
    },
    holder: { held: true },
    stranger: { known: true, dial_anywhere: false },
    list: { standing: 'consented', fact: lawful.fact },
    consent: { needed: true, standing: 'consented', fact: lawful.fact, sent: false },
    hours: {
      hours: { start: '08:00', end: '21:00', days: [...weekdays] },
      zones: [{ zone: 'America/New_York', local: 'wed 12:00', inside: true }],
    },
    per_minute: { used: 2, most: 6, left: 4 },
    per_day: { used: 7, most: 200, left: 193 },
    per_number_day: { used: 1, most: 3, left: 2 },
  })
})
