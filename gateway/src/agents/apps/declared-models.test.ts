import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { AppClient } from '../../../testing/agents/app-client.ts'
import { startDeployment, type TestOrg } from '../../../testing/deployment.ts'
import { manifestOf, rateOf, VendorFolder } from '../../../testing/providers/vendor-packages.ts'
import { changeRow } from '../../../testing/providers/vendors.ts'

const folder = new VendorFolder()
  .add(manifestOf('acme', ['llm', 'stt', 'tts']))
  .add(manifestOf('solo', ['llm', 'stt', 'tts']))
  .add({ ...manifestOf('homemade', ['llm', 'stt', 'tts']), credentials: { fields: [] } })
const rates = [
  rateOf('llm', 'acme', true),
  { ...rateOf('llm', 'acme', true), model: 'acme-large', tier: 'premium' },
  rateOf('stt', 'acme', true),
  rateOf('tts', 'acme', true),
  rateOf('llm', 'solo', false),
  { ...rateOf('llm', 'solo', false), model: 'solo-large', tier: 'premium' },
  rateOf('stt', 'solo', false),
  rateOf('tts', 'solo', false),
  rateOf('stt', 'elsewhere', false),
  rateOf('llm', 'absent', true),
]
const deployment = await startDeployment({
  SVC_RATES: folder.write('rates.json', rates),
  SVC_VENDOR_FOLDERS: folder.path,
  SVC_PROVIDER_KEY_SOLO: 'the-platforms-key',
})
after(async () => {
  await deployment[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})
await changeRow(deployment, (row) => {
  row.defaults = { llm: 'acme/acme-llm-1', stt: 'acme/acme-stt-1', tts: 'acme' }
})
const { operator } = deployment

/** An app of a new org on this plan, and what it is answered when it declares something. */
async function orgOn(plan: string) {
  const org = await deployment.newOrg()
  await setPlan(org, plan)
  const { key, client } = await org.serverToken('sandbox')
  const app = await AppClient.connect(deployment.url, key)
  after(() => app.close())
  const declare = async (declares: object) => {
    const { type, code, detail } = await app.register('desk', { declares })
    return type === 'agent.registered' ? 'held' : `${code} ${detail}`
  }
  return { org, client, declare }
}

const setPlan = ({ slug }: TestOrg, plan: string) =>
  operator.put(`/v1/ops/orgs/${slug}/account`, { plan, subscribed: true, credits: 10 })
const noPrice = (knob: string, model: string) =>
  `MODEL_NOT_ALLOWED \`${knob}\`: ${model} has no price on this platform`
const notOnPlan = (knob: string, model: string) =>
  `MODEL_NOT_ALLOWED \`${knob}\`: ${model} is not on the org's plan`
const noKey = (knob: string, vendor: string) =>
  `PROVIDER_KEY_REQUIRED \`${knob}\`: ${vendor} runs on the org's own key, and the org brought none`

test('a declared model that has no price is refused, whichever stage names it (S-386, SD-45)', async () => {
  const { declare } = await orgOn('pro')
  assert.equal(await declare({ llm: 'acme/unheard-of' }), noPrice('llm', 'acme/unheard-of'))
  assert.equal(await declare({ stt: 'acme/unheard-of' }), noPrice('stt', 'acme/unheard-of'))
  assert.equal(await declare({ judge: 'acme/unheard-of' }), noPrice('judge', 'acme/unheard-of'))
  assert.equal(await declare({ llm: 'nobody/model' }), noPrice('llm', 'nobody/model'))
  const voice = { voice: 'nova', tts: 'acme', tts_model: 'unheard-of' }
  assert.equal(await declare({ voice }), noPrice('tts', 'acme/unheard-of'))
  assert.equal(await declare({ voice: { tts_model: 'unheard-of' } }), noPrice('tts', 'acme/unheard-of'))
  assert.equal(await declare({ llm: { llm: 'acme/unheard-of' } }), noPrice('llm', 'acme/unheard-of'))
})

test('a declared model that the plan does not allow is refused, and a paid plan allows it (S-387, S-388, S-389, SD-45)', async () => {
  const { org, declare } = await orgOn('free')
  assert.equal(await declare({ llm: 'acme/acme-large' }), notOnPlan('llm', 'acme/acme-large'))
  assert.equal(await declare({ judge: 'acme-large' }), notOnPlan('judge', 'acme/acme-large'))
  assert.equal(await declare({ llm: 'acme/acme-llm-1' }), 'held')
  for (const plan of ['pro', 'enterprise']) {
    await setPlan(org, plan)
    assert.equal(await declare({ llm: 'acme/acme-large' }), 'held')
  }
})

test("a vendor that runs on the org's own key alone is refused until the org brings one, whatever key the platform has (S-384, S-385, SD-45)", async () => {
  const { org, declare } = await orgOn('pro')
  assert.equal(await declare({ llm: 'solo/solo-llm-1' }), noKey('llm', 'solo'))
  assert.equal(await declare({ stt: 'solo' }), noKey('stt', 'solo'))
  assert.equal(await declare({ judge: 'solo/solo-llm-1' }), noKey('judge', 'solo'))
  assert.equal(await declare({ voice: { voice: 'nova', tts: 'solo' } }), noKey('tts', 'solo'))
  const { client } = await org.person('admin')
  assert.equal((await client.put('/v1/provider-keys/solo', { key: 'sk-own' })).status, 200)
  const all = { llm: 'solo', stt: 'solo', judge: 'solo', voice: { tts: 'solo' } }
  assert.equal(await declare(all), 'held')
})

test('every model is looked up before any key is asked for (SD-45)', async () => {
  const { declare } = await orgOn('free')
  const both = { llm: 'solo/solo-llm-1', voice: { voice: 'nova', tts: 'acme', tts_model: 'unheard-of' } }
  assert.equal(await declare(both), noPrice('tts', 'acme/unheard-of'))
  assert.equal(await declare({ llm: 'solo/solo-large' }), notOnPlan('llm', 'solo/solo-large'))
})

test('a vendor alone means its default model, a model alone the vendor in use, and a voice alone nothing (SD-45)', async () => {
  const { declare } = await orgOn('pro')
  assert.equal(await declare({ llm: 'acme' }), 'held')
  assert.equal(await declare({ llm: 'acme-large', stt: 'acme-stt-1' }), 'held')
  assert.equal(await declare({ llm: 'solo-llm-1' }), noPrice('llm', 'acme/solo-llm-1'))
  assert.equal(await declare({ voice: 'some-voice' }), 'held')
  assert.equal(await declare({ voice: { voice: 'some-voice', tts_options: { speed: 2 } } }), 'held')
  assert.equal(await declare({ llm: { temperature: 0.5 } }), 'held')
  await changeRow(deployment, (row) => void (row.models = { 'llm/acme': ['unheard-of'] }))
  assert.equal(await declare({ llm: 'acme' }), noPrice('llm', 'acme/unheard-of'))
  await changeRow(deployment, (row) => void (row.models = {}))
})

test('a judge named by its model alone runs on the vendor of the model (SD-17, SD-45)', async () => {
  const { declare } = await orgOn('pro')
  assert.equal(await declare({ llm: 'solo/solo-llm-1', judge: 'solo-large' }), noKey('llm', 'solo'))
  assert.equal(await declare({ judge: 'solo-large' }), noPrice('judge', 'acme/solo-large'))
})

test('a vendor that needs no key is allowed on every plan (SD-45, SD-65)', async () => {
  const { declare } = await orgOn('free')
  const all = { llm: 'homemade/any', stt: 'homemade', judge: 'homemade', voice: { tts: 'homemade' } }
  assert.equal(await declare(all), 'held')
})

test('a priced vendor that is not installed is asked for its key first, and can hold nothing with one (S-384, SD-45)', async () => {
  const { declare } = await orgOn('pro')
  assert.equal(await declare({ stt: 'elsewhere/elsewhere-stt-1' }), noKey('stt', 'elsewhere'))
  assert.equal(await declare({ stt: 'elsewhere' }), noKey('stt', 'elsewhere'))
  assert.equal(
    await declare({ llm: 'absent/absent-llm-1' }),
    'BAD_FRAME `llm`: this build has no plugin for absent',
  )
})

test('a registration refused for its model holds nothing and names no agent (SD-03, SD-45)', async () => {
  const { client, declare } = await orgOn('pro')
  await declare({ llm: 'acme/unheard-of' })
  assert.deepEqual((await client.get('/v1/agents')).body, { agents: [] })
})
