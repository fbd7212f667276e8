import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCalled } from './called-number.ts'
import { zonesIn } from './zones.ts'

const zonesOf = async (number: string) => (await readCalled(number)).zones
const wholePlan = 'America/New_York&America/Chicago&America/Winnipeg&America/Los_Angeles'

/** The table and the numbers that libphonenumber's own test of its mapper has. */
const publishedTable = new Map([
  ['1', wholePlan],
  ['1201', 'America/New_York'],
  ['1212812', 'America/New_York'],
  ['1234', 'America/New_York'],
  ['1604', 'America/Winnipeg'],
  ['1617423', 'America/Chicago'],
  ['1650960', 'America/Los_Angeles'],
  ['612', 'Australia/Sydney'],
  ['82', 'Asia/Seoul'],
])
const published: [number: string, callingCode: string, zones: string[]][] = [
  ['+61236618300', '61', ['Australia/Sydney']],
  ['+8222123456', '82', ['Asia/Seoul']],
  ['+821234', '82', ['Asia/Seoul']],
  ['+16048406565', '1', ['America/Winnipeg']],
  ['+16509600000', '1', ['America/Los_Angeles']],
  ['+12128120000', '1', ['America/New_York']],
  ['+9992423651234', '999', []],
  ['+80012345678', '800', []],
  // These it answers with the whole plan, which is no zone here.
  ['+16174240000', '1', []],
  ['+1123456789', '1', []],
]

test('zones are those that libphonenumber’s own test numbers have in its own test table (N-294, ND-56)', () => {
  for (const [number, callingCode, zones] of published)
    assert.deepEqual(
      zonesIn(publishedTable, number, callingCode, () => false),
      zones,
      number,
    )
})

test('zones come from the published table, a number’s longest prefix of it (N-294, ND-56)', async () => {
  const table: [string, string[]][] = [
    ['+61236618300', ['Australia/Sydney']],
    ['+8222123456', ['Asia/Seoul']],
    ['+16048406565', ['America/Vancouver']],
    ['+16509600000', ['America/Los_Angeles']],
    ['+12128120000', ['America/New_York']],
    ['+16174240000', ['America/New_York']],
    ['+12085550123', ['America/Boise', 'America/Los_Angeles']],
    ['+12086600123', ['America/Los_Angeles']],
    ['+16135550123', ['America/Toronto']],
    ['+18765550123', ['America/Jamaica']],
    ['+17875550123', ['America/Puerto_Rico']],
    ['+16715550123', ['Pacific/Guam']],
    ['+442079460018', ['Europe/London']],
    ['+447911123456', ['Europe/Guernsey', 'Europe/Isle_of_Man', 'Europe/London']],
    ['+44660123456', ['Europe/Guernsey', 'Europe/Isle_of_Man', 'Europe/Jersey', 'Europe/London']],
    ['+34922123456', ['Atlantic/Canary']],
    ['+80012345678', []],
  ]
  for (const [number, zones] of table) assert.deepEqual(await zonesOf(number), zones, number)
})

test('a +1 number that is answered anywhere, or whose prefix is not in the table, is in no zone (T-09, ND-56)', async () => {
  const nowhere = [
    ...['800', '833', '844', '855', '866', '877', '888'].map((area) => `+1${area}5550123`),
    '+19005550123',
    '+15005550123',
    '+15335550123',
    '+12225550123',
    '+17105550123',
    '+1123456789',
  ]
  for (const number of nowhere) assert.deepEqual(await zonesOf(number), [], number)
})

test('elsewhere a toll-free, premium, shared-cost or personal number could be in every zone of its country (ND-56)', async () => {
  const whole = ['Europe/Guernsey', 'Europe/Isle_of_Man', 'Europe/Jersey', 'Europe/London']
  for (const number of ['+448001234567', '+449012345678', '+447012345678'])
    assert.deepEqual(await zonesOf(number), whole, number)
  assert.deepEqual(await zonesOf('+566000123456'), ['America/Santiago', 'Pacific/Easter'])
})

test('a +1 number whose type says that it is answered anywhere is in no zone, whatever its prefix says (ND-56)', () => {
  const table = new Map([
    ['1', wholePlan],
    ['1800', 'America/New_York'],
  ])
  assert.deepEqual(
    zonesIn(table, '+18005550123', '1', () => true),
    [],
  )
})
