import assert from 'node:assert/strict'
import { test } from 'node:test'
import { networkStates } from '@switchroom/contract/carriers'
import { consentKinds } from '@switchroom/contract/consents'
import { weekdays } from '@switchroom/contract/dialling'
import { callStates } from '@switchroom/contract/log'
import { mailSecurities } from '@switchroom/contract/mail'
import { numberChannels } from '@switchroom/contract/numbers'
import { capNames, quotaNames } from '@switchroom/contract/orgs'
import { channels } from '@switchroom/contract/sessions'
import { agentSlug } from '@switchroom/contract/settings'
import { verbs } from '@switchroom/contract/supervising'
import * as closedSets from './closed-sets.ts'
import { changed } from './setting-words.ts'
import { aligned, tabbed } from './table.ts'
import { cut, plain, widthOf } from './text-width.ts'

test('a text takes as many columns as a terminal gives it', () => {
  const widths = { abc: 3, 日本: 4, é: 1, '👩‍👩‍👧': 2, 한글: 4 }
  for (const [text, width] of Object.entries(widths)) assert.equal(widthOf(text), width, text)
  assert.deepEqual([cut('abcdef', 4), cut('日本語', 4), cut('abc', 3)], ['abc…', '日…', 'abc'])
})

test('what would move the cursor or turn the line around is a space', () => {
  assert.equal(plain('a\u001b[31mb\r\nc\u009bd\u202ee'), 'a [31mb c d e')
})

const columns = [
  { title: 'name', of: ({ name }: { name: string; note: string | null }) => name },
  { title: 'note', of: ({ note }: { name: string; note: string | null }) => note },
]
const rows = [
  { name: 'ana', note: 'x'.repeat(50) },
  { name: '日本', note: null },
]

test('for people the widest column that names nothing gives way, for programs none does', () => {
  const { title, lines } = aligned(columns, rows, 30)
  assert.deepEqual([title, ...lines], ['NAME  NOTE', `ana   ${'x'.repeat(23)}…`, '日本'])
  const [{ title: name, of }, note] = columns as [(typeof columns)[0], (typeof columns)[1]]
  const named = aligned(
    [{ title: name, of, isName: true }, note],
    [{ name: 'n'.repeat(20), note: 'x'.repeat(50) }],
    30,
  )
  assert.deepEqual(named.lines, [`${'n'.repeat(20)}  ${'x'.repeat(7)}…`])
  assert.deepEqual(tabbed(columns, rows), [`ana\t${'x'.repeat(50)}`, '日本\t'])
})

test('settings are written as words, of the type that their knob has', () => {
  const words = [
    'voice=007',
    'temperature=0.5',
    'record=true',
    'llm_options={"a":1}',
    'memory.remember=["x"]',
  ]
  assert.deepEqual(changed({ language: 'en' }, words), {
    language: 'en',
    voice: '007',
    temperature: 0.5,
    record: true,
    llm_options: { a: 1 },
    memory: { remember: ['x'] },
  })
  assert.deepEqual(changed({ greeting: { say: 'Hi' }, record: true }, ['greeting.say=', 'record=']), {})
})

test('the closed sets that are written out are those of the contract', () => {
  const contract = {
    weekdays,
    mailSecurities,
    networkStates,
    consentKinds,
    callStates,
    numberChannels,
    quotaNames,
    capNames,
  }
  assert.deepEqual({ ...closedSets }, { ...contract, channels, agentSlug, verbs })
})
