import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearestName } from './near-names.ts'

const known = ['agent', 'to', 'production', 'max_duration_s', 'note', 'agents']

test('a name is near another if a letter or two were left out, added, changed or swapped, or if it is written in another style', () => {
  const cases: [sent: string, meant: string | undefined][] = [
    ['agnet', 'agent'],
    ['agen', 'agent'],
    ['Agent', 'agent'],
    ['prodution', 'production'],
    ['poduction', 'production'],
    ['maxDurationS', 'max_duration_s'],
    ['max-duration-s', 'max_duration_s'],
    ['nots', 'note'],
    ['TO', 'to'],
    ['too', undefined], // of short names nearly every other is near
    ['extra', undefined],
    ['metadata', undefined],
    ['x'.repeat(100_000), undefined],
  ]
  for (const [sent, meant] of cases) assert.equal(nearestName(sent, known), meant, sent)
})

test('of several near names the nearest is meant', () => {
  assert.equal(nearestName('agenst', ['agents', 'agent']), 'agents')
})
