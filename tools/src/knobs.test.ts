import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Default } from '@switchroom/contract/knob-shapes'
import { knobs, rowOfKnob, type Knob } from '@switchroom/contract/knobs'
import { knobGroups } from '@switchroom/console/agents/knob-list'
import { knobsOnPage, knobsTable } from './knobs-page.ts'
import { readSources } from './sources.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

test('docs/agents.md has the table of knobs as contract/src/knobs.ts has it', () => {
  assert.equal(knobsOnPage(), knobsTable(), 'run: node tools/src/knobs-page.ts')
})

test('the console’s form has every knob once, under the label of the table', () => {
  const fields = knobGroups.flatMap((group) => group.fields)
  assert.deepEqual(fields.map(({ knob }) => knob).toSorted(), knobs.toSorted())
  for (const { knob, label } of fields) assert.equal(label, rowOfKnob(knob).label)
})

test('a call reads every knob, unless the table says why none does', () => {
  const unread = knobs.filter((knob) => !isRead(knob))
  const notBuilt = knobs.filter((knob) => rowOfKnob(knob).notBuilt !== undefined)
  assert.deepEqual(unread, notBuilt)
  assert.deepEqual(notBuilt, [])
})

test('a call reads every member of a knob, unless the table says why none does', () => {
  const members = knobs
    .filter((knob) => rowOfKnob(knob).notBuilt === undefined)
    .flatMap((knob) => {
      const { shape } = rowOfKnob(knob)
      return 'members' in shape ? Object.keys(shape.members) : []
    })
  const unread = members.filter((name) => !new RegExp(`[.{,] ?${name}\\b`).test(running))
  assert.deepEqual(unread, [])
})

test('no code but the table gives a knob, or a member of one, its default', () => {
  const valued = knobs.flatMap((knob) => {
    const { shape, ...row } = rowOfKnob(knob)
    const rows: [string, { default: Default }][] = [[knob, row]]
    if ('members' in shape) rows.push(...Object.entries(shape.members))
    return rows.filter(([, { default: own }]) => own.value !== undefined).map(([name]) => name)
  })
  const literal = new RegExp(`\\b(?:${valued.join('|')}) (?:=|\\?\\?) (?:-?\\d|true\\b|false\\b|').*`, 'g')
  assert.deepEqual(running.match(literal) ?? [], [])
})

test('every knob says what applies while nothing sets it', () => {
  for (const knob of knobs) {
    const { default: own } = rowOfKnob(knob)
    assert.ok(own.value !== undefined || own.platform !== undefined || own.note !== undefined, knob)
  }
})

/** What runs calls: the stages that are read from the layers, the resolution, the session and the worker. */
const running = Object.entries(readSources(root))
  .filter(
    ([path]) =>
      /^(session|worker|gateway)\/src\//.test(path) &&
      !/^gateway\/src\/agents\/(apps|judging|knobs|lexicon|settings)\//.test(path) &&
      !path.endsWith('.test.ts'),
  )
  .map(([, text]) => text)
  .join('\n')

/** Whether a config or a layer is asked for it, by its name or by the name of its stage. */
function isRead(knob: Knob): boolean {
  const { stage } = rowOfKnob(knob)
  const asked = [`get('${knob}')`, `all('${knob}')`]
  if (knob === stage) asked.push('all(stage)')
  if (stage !== 'judge' && knob === `${stage}_builds`) asked.push('get(`${stage}_builds`)')
  if (stage !== 'judge' && knob === `${stage}_options`) asked.push('get(`${stage}_options`)')
  const fromConfig = new RegExp(
    `config(?:\\(\\))?\\.${knob}\\b|\\{[^}]*\\b${knob}\\b[^}]*\\}(: Config| = (this\\.#parts\\.)?config\\b)`,
  )
  return asked.some((words) => running.includes(words)) || fromConfig.test(running)
}
