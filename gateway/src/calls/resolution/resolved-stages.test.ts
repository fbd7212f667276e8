import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProviderRow } from '@switchroom/contract/providers'
import type { Config } from '@switchroom/contract/settings'
import type { Manifest } from '@switchroom/kit/manifest'
import { manifestOf, vendorsOf } from '../../../testing/providers/vendor-packages.ts'
import { Layers, type Declared } from '../../agents/stages/layers.ts'
import type { KeySource } from '../../providers/lent-keys/stage-keys.ts'
import { lexiconUnder } from '../../agents/stages/declaration.ts'
import { configRun, turnEnd } from './resolved-config.ts'
import { judgeRun } from './resolved-judge.ts'
import { stagesRun, type RunParts } from './resolved-stages.ts'

const plain = { takes: ['model'], knobs: {}, streams: true }
const everything = (name: string): Manifest => ({
  ...manifestOf(name, ['llm', 'stt', 'tts']),
  stages: {
    llm: {
      default: 'LLM',
      model: `${name}-model`,
      by_model: { live: 'Live' },
      classes: { LLM: plain, Live: { ...plain, realtime: true } },
    },
    stt: { default: 'STT', model: `${name}-ears`, classes: { STT: plain } },
    tts: { default: 'TTS', model: `${name}-voice`, classes: { TTS: plain } },
  },
})
const vendors = vendorsOf(everything('alpha'), everything('beta'), everything('gamma'))

const row: ProviderRow = {
  defaults: { llm: 'alpha/alpha-model', stt: 'alpha/alpha-ears', tts: 'alpha' },
  fallbacks: { llm: ['beta/beta-model', 'gamma/gamma-model'], stt: ['beta/beta-ears'], tts: ['beta'] },
  models: {},
  voices: {},
  options: { 'llm/alpha': { base_url: 'http://row', seed: 1 }, 'llm/beta': { base_url: 'http://beta' } },
  end_of_turn: { alpha: 'stt' },
  can_end_turn: ['alpha'],
  lines: {},
  judge: 'beta/beta-model',
  withheld: {},
}

interface Said {
  declared?: Declared
  sources?: Record<string, KeySource>
  failing?: string[]
  ownOnly?: boolean
  row?: ProviderRow
}

function partsOf(scopes: Config[], said: Said = {}): RunParts {
  const { sources = {}, failing = [] } = said
  return {
    vendors,
    row: said.row ?? row,
    layers: new Layers(said.declared ?? {}, scopes),
    sourceOf: (_knob, { vendor }) => sources[vendor] ?? 'lent',
    isHanded: (source) => source === 'own' || (source === 'lent' && !said.ownOnly),
    ordered: (chain) => [
      ...chain.filter(({ vendor }) => !failing.includes(vendor)),
      ...chain.filter(({ vendor }) => failing.includes(vendor)),
    ],
  }
}
const runOf = (scopes: Config[], said?: Said) => stagesRun(partsOf(scopes, said))
const namesOf = (run: { vendor: string; model: string }[]) =>
  run.map(({ vendor, model }) => `${vendor}/${model}`)

test('if no layer names a vendor, the row’s chain runs (S-143)', () => {
  const { llm, stt, tts } = runOf([{}])
  assert.equal(llm.isDefault, true)
  assert.deepEqual(namesOf([llm.first, ...llm.fallbacks]), [
    'alpha/alpha-model',
    'beta/beta-model',
    'gamma/gamma-model',
  ])
  assert.deepEqual(namesOf([stt!.first, ...stt!.fallbacks]), ['alpha/alpha-ears', 'beta/beta-ears']) // no realtime model runs
  assert.deepEqual(namesOf([tts!.first, ...tts!.fallbacks]), ['alpha/alpha-voice', 'beta/beta-voice'])
})

test('a chain is tried in the order it is handed, and an agent’s own vendor first whatever fails (S-146, ST-087)', () => {
  const { llm } = runOf([{}], { failing: ['alpha'] })
  assert.deepEqual(namesOf([llm.first, ...llm.fallbacks]), [
    'beta/beta-model',
    'gamma/gamma-model',
    'alpha/alpha-model',
  ])
  assert.equal(llm.named.vendor, 'alpha')
  const own = runOf([{ llm: 'alpha' }], { failing: ['alpha'] }).llm
  assert.deepEqual([own.first.vendor, own.fallbacks, own.isDefault], ['alpha', [], false])
})

test('a fallback without a key for the worker is left out; what is named stays (SD-39)', () => {
  const { llm } = runOf([{}], { ownOnly: true, sources: { gamma: 'own' } })
  assert.deepEqual([llm.named.source, llm.named.vendor], ['lent', 'alpha'])
  assert.deepEqual(namesOf(llm.fallbacks), ['gamma/gamma-model'])
  assert.deepEqual(namesOf(runOf([{}], { sources: { beta: 'missing' } }).llm.fallbacks), [
    'gamma/gamma-model',
  ])
})

test('on the org’s own key options lie over the row’s and builds count; they name the vendor in use, which runs alone (S-056, S-089, S-090, ST-037)', () => {
  const { llm } = runOf([{ llm_options: { seed: 2, top_p: 1 } }], { sources: { alpha: 'own' } })
  assert.deepEqual(llm.first.options, { base_url: 'http://row', seed: 2, top_p: 1 })
  assert.deepEqual([llm.first.vendor, llm.fallbacks, llm.isDefault], ['alpha', [], false])
  const built = runOf([{ llm_builds: 'LLM' }], { sources: { alpha: 'own' } }).llm
  assert.deepEqual([built.first.builds, built.fallbacks], ['LLM', []])
})

test('on any other key builds and options stay out, and what they pinned still runs alone (SD-28, ST-038)', () => {
  for (const source of ['lent', 'unneeded', 'missing'] as const) {
    const { llm } = runOf([{ llm_options: { seed: 2 }, llm_builds: 'LLM' }], { sources: { alpha: source } })
    assert.deepEqual(llm.first.options, { base_url: 'http://row', seed: 1 })
    assert.deepEqual([llm.first.builds, llm.fallbacks], [null, []])
  }
})

test('a realtime model replaces ears and voice, by its name or by its class on an own key (S-381, SD-60)', () => {
  const byName = runOf([{ llm: 'beta/live-1', stt: 'alpha', voice: 'v' }])
  assert.deepEqual([byName.stt, byName.tts], [null, null])
  const byClass = runOf([{ llm_builds: 'Live' }], { sources: { alpha: 'own' } })
  assert.deepEqual([byClass.stt, byClass.tts], [null, null])
  assert.notEqual(runOf([{ llm_builds: 'Live' }]).stt, null) // on a lent key the class is not built
  const realtimeRow = { ...row, defaults: { ...row.defaults, llm: 'alpha/live-1' } }
  assert.equal(runOf([{}], { row: realtimeRow }).stt, null)
  assert.notEqual(runOf([{}], { row: realtimeRow, failing: ['alpha'] }).stt, null) // what runs first now hears nothing
})

test('a model alone runs on the vendor that a scope below names, else on the row’s (S-044, S-045, S-046, ST-012, ST-015, SD-17)', () => {
  const llm = (...scopes: Config[]) => namesOf([runOf(scopes).llm.first])[0]
  assert.equal(llm({ llm: 'gamma/a/b' }), 'gamma/a/b')
  assert.equal(llm({ llm: 'beta' }), 'beta/beta-model')
  assert.equal(llm({ llm: 'x' }), 'alpha/x')
  assert.equal(llm({ llm: 'x' }, { llm: 'gamma/m' }), 'gamma/x')
  assert.equal(llm({ llm: 'x' }, { llm: 'y' }), 'alpha/x')
})

test('the class is above every scope, with all that goes with a name it declares (S-094)', () => {
  const said: Said = {
    declared: { llm: { llm: 'beta' }, language: { language: 'es' } },
    sources: { beta: 'own' },
  }
  const scopes = [{ llm: 'gamma', llm_options: { seed: 3 }, language: 'en' }]
  assert.deepEqual(runOf(scopes, said).llm.first.options, { base_url: 'http://beta' })
  assert.equal(configRun(partsOf(scopes, said).layers).language, 'es')
})

test('settings that are left out are filled with their defaults, and those without a default stay out (S-069, S-074, S-080, S-464, ST-001, ST-002)', () => {
  const run = (...scopes: Config[]) => configRun(new Layers({}, scopes))
  assert.deepEqual(run({}), { llm_timeout_s: 12 })
  assert.deepEqual(run({ greeting: { say: 'Hi' }, bases: [{ base: 'a' }, { base: 'b', k: 1 }] }), {
    llm_timeout_s: 12,
    greeting: { say: 'Hi', allow_interruptions: false },
    bases: [
      { base: 'a', mode: 'auto', k: 5, min_score: 0 },
      { base: 'b', mode: 'auto', k: 1, min_score: 0 },
    ],
  })
  const nearer = { max_duration_s: 0, record: false, bases: [], turn: {} }
  const below = {
    max_duration_s: 9,
    record: true,
    bases: [{ base: 'a' }],
    turn: { eot_threshold: 0.7 },
    llm_timeout_s: 3,
  }
  assert.deepEqual(run(nearer, below), { ...nearer, llm_timeout_s: 3 })
})

test('a declared half of the lexicon is the class’s, the other as it is set (S-104, SD-42)', () => {
  const set = { said: [{ word: 'SQL', spoken: 'sequel' }], heard: ['Wout'] }
  assert.deepEqual(lexiconUnder(null, null), { said: [], heard: [] })
  assert.deepEqual(lexiconUnder({ app: 'desk', declared: {}, hears: [] }, set), { said: set.said, heard: [] })
  assert.deepEqual(lexiconUnder({ app: 'desk', declared: {}, says: [] }, set), { said: [], heard: ['Wout'] })
})

test('an unset end of turn is the row’s choice for the ears in effect, and ears that cannot are not asked (S-049, S-052, ST-039)', () => {
  const ends = (config: Config, vendor: string) =>
    turnEnd(vendors, row, new Layers({}, [config]), { vendor, model: 'm' })
  assert.equal(ends({}, 'alpha'), 'stt')
  assert.equal(ends({}, 'beta'), 'framework')
  assert.equal(ends({ end_of_turn: 'smart-turn' }, 'alpha'), 'smart-turn')
  assert.equal(ends({ end_of_turn: 'stt' }, 'alpha'), 'stt')
  assert.equal(ends({ end_of_turn: 'stt' }, 'beta'), 'framework')
})

test('the judge is the class’s, else the agent’s, the org’s, the platform’s, the default model (S-057, S-058, S-059, S-060, SD-40)', () => {
  const judge = (scopes: Config[], orgs: string | null, said: Said = {}) => {
    const { vendor, model, from } = judgeRun(
      partsOf(scopes, said),
      orgs === null ? null : { judge: orgs, judge_builds: null, judge_options: null },
    )
    return `${from} ${vendor}/${model}`
  }
  const declared = { judge: { judge: 'gamma' } }
  assert.equal(judge([{ judge: 'beta' }], 'alpha', { declared }), 'class gamma/gamma-model')
  assert.equal(judge([{ judge: 'gamma' }], 'alpha'), 'agent gamma/gamma-model')
  assert.equal(judge([{ judge: 'x' }], 'gamma/g'), 'agent gamma/x')
  assert.equal(judge([{}], 'gamma/g'), 'org gamma/g')
  assert.equal(judge([{}], null), 'platform beta/beta-model')
  assert.equal(judge([{}], null, { row: { ...row, judge: null } }), 'platform alpha/alpha-model')
  assert.equal(judge([{ judge: 'x', llm: 'gamma' }], null, { row: { ...row, judge: null } }), 'agent gamma/x')
})

test('a judge’s builds and options are its chooser’s, on an own key alone (S-057, SD-28)', () => {
  const orgs = { judge: 'alpha/m', judge_builds: 'LLM', judge_options: { seed: 9 } }
  const own = partsOf([{}], { sources: { alpha: 'own' } })
  assert.deepEqual(judgeRun(own, orgs), {
    vendor: 'alpha',
    model: 'm',
    builds: 'LLM',
    options: { base_url: 'http://row', seed: 9 },
    from: 'org',
  })
  const agents = partsOf([{ judge_options: { seed: 4 } }], { sources: { alpha: 'own' } })
  assert.deepEqual(judgeRun(agents, orgs).options, { base_url: 'http://row', seed: 4 })
  const named = partsOf([{ judge: 'alpha/n' }], { sources: { alpha: 'own' } })
  assert.deepEqual(judgeRun(named, orgs).options, { base_url: 'http://row', seed: 1 })
  assert.deepEqual(judgeRun(partsOf([{}]), orgs).options, { base_url: 'http://row', seed: 1 })
  assert.equal(judgeRun(partsOf([{}]), orgs).builds, null)
})
