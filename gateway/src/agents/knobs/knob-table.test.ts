import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { declarableNames, knobs, knobsOfName, rowOfKnob, type Knob } from '@switchroom/contract/knobs'
import type { Config } from '@switchroom/contract/settings'
import { refused } from '../../../testing/client.ts'
import { done, TestAgent } from '../../../testing/agents/test-agents.ts'
import { startTrialDeployment } from '../../../testing/providers/trial-vendors.ts'
import { whyMisshapen } from './knob-checks.ts'

const { deployment, ...trial } = await startTrialDeployment()
after(() => trial[Symbol.asyncDispose]())
const org = await deployment.newOrg()
const { client: admin } = await org.person('admin')
for (const vendor of ['alpha', 'beta'])
  done(await admin.put(`/v1/provider-keys/${vendor}`, { key: 'own-mark-0123456789' }))

/** Values for the knobs that have no value as a default. */
const examples: Config = {
  voice: 'v',
  tts: 'alpha',
  tts_model: 'alpha-voice',
  stt: 'alpha/alpha-ears',
  llm: 'alpha/alpha-large',
  temperature: 0.4,
  llm_builds: 'extra.LLM',
  stt_builds: 'Whole',
  tts_builds: 'deep.Voice',
  llm_options: { top_p: 0.5 },
  stt_options: { tier: 'fast' },
  tts_options: { pitch: 1 },
  judge: 'beta/beta-large',
  judge_builds: 'extra.LLM',
  judge_options: { seed: 1 },
  language: 'pt-BR',
  greeting: { say: 'Hello' },
  hangup: { when: 'the caller says goodbye' },
  answering_machine: { action: 'leave_message', message: 'We will call again.' },
  turn: {},
  memory: { remember: 'their name' },
  knowledge: '# Hours',
  hold_message: 'One moment, I am connecting you.',
  bases: [{ base: 'faq' }],
}
const valueOf = (knob: Knob): unknown => rowOfKnob(knob).default.value ?? examples[knob]

test('the settings endpoint keeps every knob of the table, with its default or an example (S-039, SD-15)', async () => {
  for (const knob of knobs) {
    const value = valueOf(knob)
    assert.notEqual(value, undefined, `${knob} has neither a default nor an example`)
    const view = await new TestAgent(admin).set(admin, { [knob]: value })
    assert.deepEqual(view.yours.config, { [knob]: value })
  }
})

test('the settings endpoint refuses what the table does not have, and names what it has (SD-15)', async () => {
  const { at } = new TestAgent(admin)
  const answer = await admin.put(`${at}/settings`, { config: { nosuch: 1 }, if_version: 0 })
  refused(answer, 400, `\`nosuch\` is no knob of an agent: they are ${knobs.join(', ')}`)
})

test('the defaults of the table, of members too, are inside their shapes and bands', () => {
  for (const knob of knobs) {
    const { shape, default: own } = rowOfKnob(knob)
    if (own.value !== undefined) assert.equal(whyMisshapen(knob, own.value), undefined)
    for (const [name, member] of 'members' in shape ? Object.entries(shape.members) : []) {
      const { value, withTurnModel } = member.default
      for (const each of [value, withTurnModel].filter((set) => set !== undefined)) {
        assert.equal(whyMisshapen(knob, whole(knob, name, each)), undefined, `${knob}.${name}`)
        const [least, most] = member.band ?? [-Infinity, Infinity]
        assert.ok(typeof each !== 'number' || (each >= least && each <= most), `${knob}.${name}`)
      }
    }
  }
})

/** A value of the knob with this member among what it cannot do without. */
function whole(knob: Knob, name: string, value: unknown): unknown {
  const example = examples[knob]
  return Array.isArray(example)
    ? [{ ...example[0], [name]: value }]
    : { ...(example as object), [name]: value }
}

test('every knob that code may declare is fixed by one name, and each name fixes its own knob first (S-097)', () => {
  const fixed = declarableNames.flatMap((name) => knobsOfName(name))
  assert.deepEqual(fixed.toSorted(), knobs.filter((knob) => rowOfKnob(knob).declaredAs !== null).toSorted())
  for (const name of declarableNames) assert.equal(knobsOfName(name)[0], name === 'docs' ? 'bases' : name)
})
