import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { Config } from '@switchroom/contract/settings'
import {
  chainOfCase,
  expectedOf,
  settingsCase,
  type ScopeHistory,
} from '../../../testing/agents/settings-histories.ts'
import { Layers } from '../../agents/stages/layers.ts'
import { configRun } from '../resolution/resolved-config.ts'
import type { ScopeSource } from './resolution.store.ts'
import { nearestSet, scopesRun } from './versions-run.ts'

const row = (version: number, content: Config = { record: true }) => ({ version, content })
const run = (scopes: Omit<ScopeSource, 'holder'>[], call: string | null) =>
  scopesRun(
    null,
    scopes.map((scope) => ({ holder: '', ...scope })),
    call,
  )

// `call_0008` is the 24th in a hundred, `call_0003` the 99th.
test('a canary’s version runs on the calls it picks, the newest of the others on the rest (S-131, S-139, ST-058, ST-059, ST-060)', () => {
  const standing =
    (version: number, share: number, ...rows: number[]) =>
    (call: string | null) =>
      run([{ canary: { version, share }, rows: rows.map((n) => row(n)) }], call)[0]?.version
  const onNewest = standing(4, 25, 4, 3)
  assert.deepEqual(['call_0008', 'call_0003'].map(onNewest), [4, 3])
  const onOld = standing(2, 25, 2, 4)
  assert.deepEqual(['call_0008', 'call_0003'].map(onOld), [2, 4])
  assert.deepEqual(['call_0008', 'call_0003'].map(standing(4, 0, 4, 3)), [3, 3])
  assert.deepEqual(['call_0008', 'call_0003'].map(standing(4, 100, 4, 3)), [4, 4])
})

test('without a call nothing is picked, whatever the share (S-232, SD-35, ST-063)', () => {
  const [scope] = run([{ canary: { version: 2, share: 100 }, rows: [row(2), row(1)] }], null)
  assert.deepEqual([scope?.version, scope?.picked], [1, false])
})

test('a scope whose only version is a canary’s supplies nothing to the calls it does not pick (SD-34, ST-061)', () => {
  const scopes = run(
    [
      { canary: { version: 1, share: 0 }, rows: [row(1, { language: 'es' })] },
      { canary: null, rows: [row(7, { language: 'en' })] },
    ],
    'call_0008',
  )
  assert.deepEqual([scopes[0]?.version, scopes[0]?.config], [null, {}])
  assert.equal(nearestSet(scopes)?.version, 7)
})

test('each scope of a chain is picked by the same call id (SD-33)', () => {
  const canary = { version: 1, share: 25 }
  const picks = (call: string) =>
    run(
      [
        { canary, rows: [row(1), row(2)] },
        { canary, rows: [row(1), row(2)] },
      ],
      call,
    ).map(({ picked }) => picked)
  assert.deepEqual(picks('call_0008'), [true, true])
  assert.deepEqual(picks('call_0003'), [false, false])
})

test('the version a call records is that of the nearest scope that set a knob (S-038, SD-37)', () => {
  const versions = (own: Config, team: Config) =>
    nearestSet(
      run(
        [
          { canary: null, rows: [row(2, own)] },
          { canary: null, rows: [row(7, team)] },
        ],
        null,
      ),
    )?.version
  assert.equal(versions({ record: false }, { record: true }), 2)
  assert.equal(versions({}, { record: true }), 7)
  assert.equal(versions({}, {}), undefined)
})

test('a known call runs what its record row says, whatever the current settings are (S-136, S-137, ST-056)', () => {
  const record = {
    org: 'o',
    agent: 'a',
    env: 'sandbox' as const,
    settings: [{ holder: 'm', version: 3, picked: true }],
  }
  const scopes = [{ holder: 'm', canary: null, rows: [row(3)] }]
  assert.deepEqual(scopesRun(record, scopes, 'call_0003'), [
    { holder: 'm', version: 3, picked: true, config: { record: true } },
  ])
})

/** As the statement reads it: the canary's version, the newest of the others, and one that a known call runs. */
function readingOf({ versions, canary }: ScopeHistory): ScopeSource {
  const rows = versions.map((content, at) => ({ version: at + 1, content }))
  const others = rows.filter(({ version }) => version !== canary?.version)
  const ofCanary = rows.filter(({ version }) => version === canary?.version)
  return { holder: '', canary, rows: [...others.slice(0, 1), ...ofCanary, ...others.slice(-1)] }
}

test('whatever is set, declared and picked, a call runs what the documents say (S-032, S-033, S-034, S-037, S-038, S-139, SD-33, SD-34)', () => {
  fc.assert(
    fc.property(settingsCase, (asked) => {
      const scopes = scopesRun(null, chainOfCase(asked).map(readingOf), asked.call)
      const isHeld = asked.asker !== 'production'
      const declared = Object.fromEntries(
        Object.entries(asked.declared).map(([name, value]) => [name, { [name]: value }]),
      )
      const layers = new Layers(
        isHeld ? declared : {},
        scopes.map(({ config }) => config),
      )
      const expected = expectedOf(asked)
      assert.deepEqual(configRun(layers), expected.config)
      assert.equal(nearestSet(scopes)?.version ?? null, expected.config_version)
      assert.equal(
        scopes.some(({ picked }) => picked),
        expected.canary,
      )
    }),
    { numRuns: 2000 },
  )
})
