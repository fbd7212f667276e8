import assert from 'node:assert/strict'
import { test } from 'node:test'
import { weekdays } from '@switchroom/contract/dialling'
import { lawful, reasonOf, usualGuards } from '../../../testing/telephony/lawful-dial.ts'
import { readCalled } from './called-number.ts'
import { judgeDial } from './guards.ts'

const london = await readCalled('+442079460018')
const idaho = await readCalled('+12085550123')
const nine = { start: '09:00', end: '18:00', days: [...weekdays] }

test('+1 is the calling code: Canada, Jamaica, Puerto Rico and Guam need consent, hours and the count (T-11, ND-56)', async () => {
  for (const number of ['+16135550123', '+18765550123', '+17875550123', '+16715550123']) {
    const to = await readCalled(number)
    assert.equal(reasonOf({ to, standing: 'unknown' }), 'no_consent', number)
    const hours = judgeDial({ ...lawful, to }).find(({ guard }) => guard === 'hours')
    assert.deepEqual([hours?.saw.hours?.start, hours?.saw.hours?.end], ['08:00', '21:00'], number)
    const count = judgeDial({ ...lawful, to }).find(({ guard }) => guard === 'per_number_day')
    assert.equal(count?.saw.most, 3, number)
  }
})

test('elsewhere a consent is needed if the org wants it everywhere (N-277)', () => {
  assert.equal(reasonOf({ to: london, standing: 'unknown' }), 'taken')
  const everywhere = { guards: { ...usualGuards, consent_everywhere: true } }
  assert.equal(reasonOf({ to: london, standing: 'unknown', ...everywhere }), 'no_consent')
  assert.equal(reasonOf({ to: london, standing: 'unknown', isConsentSent: true, ...everywhere }), 'taken')
})

test('one zone of several inside the hours is enough (N-279, T-10)', () => {
  // Boise is an hour before Los Angeles; in January it is UTC-7.
  for (const [instant, expected] of [
    ['2026-01-14T14:30:00Z', 'quiet_hours'],
    ['2026-01-14T15:30:00Z', 'taken'],
    ['2026-01-15T04:30:00Z', 'taken'],
    ['2026-01-15T05:30:00Z', 'quiet_hours'],
  ] as const)
    assert.equal(reasonOf({ to: idaho, now: new Date(instant) }), expected, instant)
})

test('a +1 number in no zone is refused at every hour of the day (N-283, T-09)', async () => {
  for (const number of ['+18005550123', '+18335550199', '+19005550123', '+15005550123', '+12225550123']) {
    const to = await readCalled(number)
    for (let hour = 0; hour < 24; hour += 1)
      assert.equal(reasonOf({ to, now: new Date(Date.UTC(2026, 0, 14, hour)) }), 'quiet_hours', number)
  }
})

test('elsewhere there are no hours but the org’s, in the called number’s zone (N-284, N-285, T-14)', async () => {
  const threeInLondon = new Date('2026-01-14T03:00:00Z')
  assert.equal(reasonOf({ to: london, now: threeInLondon }), 'taken')
  const held = { to: london, guards: { ...usualGuards, calling_hours: nine } }
  for (const [instant, expected] of [
    ['2026-07-14T07:59:59Z', 'quiet_hours'],
    ['2026-07-14T08:00:00Z', 'taken'],
    ['2026-07-14T16:59:59Z', 'taken'],
    ['2026-07-14T17:00:00Z', 'quiet_hours'],
  ] as const)
    assert.equal(reasonOf({ ...held, now: new Date(instant) }), expected, instant)
})

test('elsewhere a number in no zone is refused if the org set hours, and dialled if it did not (ND-56)', async () => {
  const to = await readCalled('+80012345678')
  assert.equal(reasonOf({ to }), 'taken')
  assert.equal(reasonOf({ to, guards: { ...usualGuards, calling_hours: nine } }), 'quiet_hours')
})

test('the org’s hours narrow those of a +1 number and never widen them (N-280, N-281, N-282, N-525, T-12)', () => {
  const table: [own: [string, string], local: string, expected: string][] = [
    [['10:00', '17:00'], '09:00', 'quiet_hours'],
    [['10:00', '17:00'], '10:00', 'taken'],
    [['10:00', '17:00'], '17:00', 'quiet_hours'],
    [['00:00', '24:00'], '22:00', 'quiet_hours'],
    [['06:00', '23:00'], '07:30', 'quiet_hours'],
    [['06:00', '23:00'], '21:30', 'quiet_hours'],
    [['06:00', '23:00'], '08:00', 'taken'],
    [['06:00', '23:00'], '20:59', 'taken'],
    [['22:00', '23:00'], '22:30', 'quiet_hours'],
    [['22:00', '23:00'], '12:00', 'quiet_hours'],
  ]
  for (const [[start, end], local, expected] of table) {
    const calling_hours = { start, end, days: [...weekdays] }
    const now = new Date(`2026-01-14T${local}:00-05:00`)
    assert.equal(
      reasonOf({ now, guards: { ...usualGuards, calling_hours } }),
      expected,
      `${start} ${end} ${local}`,
    )
  }
})

test('the count of one number is three for +1 and none elsewhere, unless the org sets its own (N-290, N-291, N-292, N-518, N-524)', () => {
  const rung = (number: number) => ({ counts: { minute: 0, day: 0, number } })
  const five = { guards: { ...usualGuards, per_number_day: 5 } }
  const one = { guards: { ...usualGuards, per_number_day: 1 } }
  assert.deepEqual(
    [
      reasonOf(rung(2)),
      reasonOf(rung(3)),
      reasonOf({ ...rung(4), ...five }),
      reasonOf({ ...rung(5), ...five }),
      reasonOf({ to: london, ...rung(199) }),
      reasonOf({ to: london, ...rung(0), ...one }),
      reasonOf({ to: london, ...rung(1), ...one }),
    ],
    ['taken', 'too_often', 'taken', 'too_often', 'taken', 'taken', 'too_often'],
  )
})
