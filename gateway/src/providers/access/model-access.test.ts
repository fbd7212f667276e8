import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refusedWithCode, type Client } from '../../../testing/client.ts'
import { startDeployment, type TestOrg } from '../../../testing/deployment.ts'
import { manifestOf, rateOf, VendorFolder } from '../../../testing/providers/vendor-packages.ts'

const folder = new VendorFolder()
  .add(manifestOf('acme', ['stt', 'tts']))
  .add(manifestOf('solo', ['llm']))
  .add({ ...manifestOf('homemade', ['stt']), credentials: { fields: [] } })
const shared = { model: 'shared-1' }
const rows = [
  rateOf('stt', 'acme', true),
  rateOf('tts', 'acme', true),
  { ...rateOf('stt', 'acme', false), model: 'acme-stt-own' },
  { ...rateOf('llm', 'acme', true), tier: 'premium' },
  rateOf('llm', 'solo', false),
  { ...rateOf('llm', 'solo', false), model: 'solo-llm-large', tier: 'premium' },
  { ...rateOf('llm', 'solo', false), model: 'maker/of-models' },
  { ...rateOf('llm', 'acme', true), ...shared },
  { ...rateOf('llm', 'solo', false), ...shared },
]
const deployment = await startDeployment({
  SVC_RATES: folder.write('rates.json', rows),
  SVC_VENDOR_FOLDERS: folder.path,
})
after(async () => {
  await deployment[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})
const { dashboard, operator } = deployment

/** An org on this plan, as its admin at the dashboard. */
async function orgOn(plan: string): Promise<TestOrg & { at: Client; admin: Client }> {
  const org = await deployment.newOrg()
  await setPlan(org, plan)
  const { key, client } = await org.person('admin')
  return { ...org, at: dashboard.as(key), admin: client }
}

const setPlan = async ({ slug }: TestOrg, plan: string) =>
  operator.put(`/v1/ops/orgs/${slug}/account`, { plan, subscribed: true, credits: 10 })

async function verdict(at: Client, service: string, model: string) {
  const query = new URLSearchParams({ service, model })
  const answer = await at.get(`/api/models/access?${query.toString()}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

const save = (at: Client, provider: string, apiKey = 'a-key') =>
  at.put('/api/credentials', { provider, apiKey })

test('the rates are listed without a key, four fields each, by service, provider and model (S-004, S-121, S-281, S-367, SD-65, ST-108)', async () => {
  const { status, body } = await dashboard.get('/api/rates/models')
  assert.equal(status, 200)
  assert.deepEqual(body.managedProviders, { stt: ['acme'], tts: ['acme'], llm: ['acme'] })
  assert.equal(body.models.length, rows.length)
  assert.deepEqual(body.models.slice(0, 2), [
    { service: 'llm', provider: 'acme', model: 'acme-llm-1', managed: true },
    { service: 'llm', provider: 'acme', model: 'shared-1', managed: true },
  ])
  const names = body.models.map((rate: Record<string, string>) => [
    rate['service'],
    rate['provider'],
    rate['model'],
  ])
  assert.deepEqual(names, names.toSorted())
})

test('the shipped rates list six, four and four managed providers (S-377, S-378, SD-65)', async () => {
  await using shipped = await startDeployment()
  const { models, managedProviders } = (await shipped.dashboard.get('/api/rates/models')).body
  const counts = (['stt', 'tts', 'llm'] as const).map((service) => {
    const all = models.filter((rate: { service: string }) => rate.service === service)
    const providers = new Set(all.map((rate: { provider: string }) => rate.provider))
    const managed = new Set(managedProviders[service])
    return [managed.size, providers.difference(managed).size]
  })
  assert.deepEqual(counts, [
    [6, 2],
    [4, 2],
    [4, 5],
  ])
})

test('a verdict is allowed only when the model exists, the plan allows it, and it is managed or a key is there (S-122, S-123, S-283, S-284, SD-63)', async () => {
  const org = await orgOn('free')
  assert.deepEqual(await verdict(org.at, 'stt', 'acme/acme-stt-1'), {
    allowed: true,
    reason: 'ok',
    provider: 'acme',
    managed: true,
    planAllowed: true,
    hasKey: false,
    requiresKey: false,
  })
  assert.deepEqual(await verdict(org.at, 'stt', 'acme/acme-stt-2'), {
    allowed: false,
    reason: 'unknown_model',
    provider: 'acme',
    managed: false,
    planAllowed: false,
    hasKey: false,
    requiresKey: false,
  })
  assert.deepEqual(await verdict(org.at, 'llm', 'acme/acme-llm-1'), {
    allowed: false,
    reason: 'plan_restricted',
    provider: 'acme',
    managed: true,
    planAllowed: false,
    hasKey: false,
    requiresKey: false,
  })
  assert.deepEqual(await verdict(org.at, 'llm', 'solo/solo-llm-1'), {
    allowed: false,
    reason: 'byok_key_required',
    provider: 'solo',
    managed: false,
    planAllowed: true,
    hasKey: false,
    requiresKey: true,
  })
  await save(org.at, 'solo')
  assert.deepEqual(await verdict(org.at, 'llm', 'solo/solo-llm-1'), {
    allowed: true,
    reason: 'ok',
    provider: 'solo',
    managed: false,
    planAllowed: true,
    hasKey: true,
    requiresKey: true,
  })
})

test('a plan that restricts comes before a key that is missing (SD-63, ST-109)', async () => {
  const org = await orgOn('free')
  const premium = { provider: 'solo', managed: false, requiresKey: true }
  const restricted = { allowed: false, reason: 'plan_restricted', planAllowed: false, ...premium }
  assert.deepEqual(await verdict(org.at, 'llm', 'solo/solo-llm-large'), { ...restricted, hasKey: false })
  await save(org.at, 'solo')
  assert.deepEqual(await verdict(org.at, 'llm', 'solo/solo-llm-large'), { ...restricted, hasKey: true })
  await setPlan(org, 'pro')
  const allowed = { allowed: true, reason: 'ok', planAllowed: true, ...premium, hasKey: true }
  assert.deepEqual(await verdict(org.at, 'llm', 'solo/solo-llm-large'), allowed)
})

test('the free plan allows some of what is priced, a paid plan all of it (S-388, S-389, SD-65)', async () => {
  const org = await orgOn('free')
  const { models } = (await dashboard.get('/api/rates/models')).body
  const restricted = async () => {
    const verdicts = await Promise.all(
      models.map((rate: Record<string, string>) =>
        verdict(org.at, String(rate['service']), `${rate['provider']}/${rate['model']}`),
      ),
    )
    return verdicts.filter(({ planAllowed }) => !planAllowed).length
  }
  assert.equal(await restricted(), rows.filter(({ tier }) => tier === 'premium').length)
  for (const plan of ['pro', 'enterprise']) {
    await setPlan(org, plan)
    assert.equal(await restricted(), 0)
  }
})

test('an own key for a managed model is seen and not required (SD-63)', async () => {
  const org = await orgOn('pro')
  await save(org.at, 'acme')
  const { managed, hasKey, requiresKey, reason } = await verdict(org.at, 'stt', 'acme/acme-stt-1')
  assert.deepEqual([managed, hasKey, requiresKey, reason], [true, true, false, 'ok'])
})

test('a model may be named alone if one provider has it, and its name may hold a slash (SD-63)', async () => {
  const { at } = await orgOn('pro')
  assert.equal((await verdict(at, 'stt', 'acme-stt-1')).provider, 'acme')
  assert.equal((await verdict(at, 'llm', 'maker/of-models')).provider, 'solo')
  assert.equal((await verdict(at, 'llm', 'solo/maker/of-models')).provider, 'solo')
  const several = await verdict(at, 'llm', 'shared-1')
  assert.deepEqual([several.reason, several.provider, several.hasKey], ['unknown_model', null, false])
  const otherService = await verdict(at, 'tts', 'acme/acme-stt-1')
  assert.deepEqual([otherService.reason, otherService.provider], ['unknown_model', 'acme'])
})

test('a model without a price still says whether the org has a key of its provider (SD-63)', async () => {
  const org = await orgOn('pro')
  await save(org.at, 'solo')
  const { reason, hasKey, requiresKey } = await verdict(org.at, 'llm', 'solo/unheard-of')
  assert.deepEqual([reason, hasKey, requiresKey], ['unknown_model', true, false])
})

test('an engine that runs without a key is not priced, and every plan allows it (SD-65)', async () => {
  const { at } = await orgOn('free')
  assert.deepEqual(await verdict(at, 'stt', 'homemade/homemade-stt-1'), {
    allowed: true,
    reason: 'ok',
    provider: 'homemade',
    managed: true,
    planAllowed: true,
    hasKey: false,
    requiresKey: false,
  })
  assert.equal((await verdict(at, 'llm', 'homemade/homemade-llm-1')).reason, 'unknown_model')
})

test('an unknown service and a blank or repeated model are 400 (SD-63)', async () => {
  const { at } = await orgOn('pro')
  const ask = (query: string) => at.get(`/api/models/access?${query}`)
  const service = 'service is stt, tts or llm'
  for (const query of ['service=vad&model=x', 'service=&model=x', 'service=STT&model=x'])
    refusedWithCode(await ask(query), 400, 'BAD_REQUEST', service)
  for (const query of ['service=stt&model=', 'service=stt&model=%20'])
    refusedWithCode(await ask(query), 400, 'BAD_REQUEST', 'model is provider/model, or the name of a model')
  refusedWithCode(await ask('model=x'), 400, 'BAD_REQUEST', 'service: is required')
  refusedWithCode(await ask('service=stt&model=a&model=b'), 400, 'BAD_REQUEST', 'model: must be a string')
})

test('any live key of the org may ask, whatever it opens and in either environment (S-283, SD-63)', async () => {
  const org = await deployment.newOrg()
  const { key: qa } = await org.person('qa')
  const { key: talk } = await org.serverToken('sandbox', { scopes: ['talk'] })
  const { key: live } = await org.serverToken('production')
  for (const key of [qa, talk, live])
    assert.equal((await verdict(dashboard.as(key), 'stt', 'acme/acme-stt-1')).allowed, true)
})

test('one saved key serves every service of its provider, at the gateway too, and only in that org (S-285, S-382, SD-64, ST-080)', async () => {
  const org = await orgOn('pro')
  const other = await orgOn('pro')
  const saved = await save(org.at, 'acme', 'sk-never-answered')
  assert.deepEqual([saved.status, saved.body], [200, { provider: 'acme', saved: true }])
  assert.deepEqual((await org.admin.get('/v1/provider-keys')).body, { vendors: ['acme'] })
  const { providers } = (await org.admin.get('/v1/providers')).body
  const acme = providers.find(({ name }: { name: string }) => name === 'acme')
  assert.deepEqual([acme.availability, acme.does.toSorted()], ['yours', ['stt', 'tts']])
  for (const service of ['stt', 'tts']) {
    assert.equal((await verdict(org.at, service, `acme/acme-${service}-1`)).hasKey, true)
    assert.equal((await verdict(other.at, service, `acme/acme-${service}-1`)).hasKey, false)
  }
  assert.ok(!deployment.log().includes('sk-never-answered'))
  await org.admin.delete('/v1/provider-keys/acme')
  assert.equal((await verdict(org.at, 'stt', 'acme/acme-stt-1')).hasKey, false)
})

test('only a key with the scope providers or app saves a vendor key (S-367, SD-64, ST-108)', async () => {
  const org = await orgOn('pro')
  const body = { provider: 'acme', apiKey: 'k' }
  const at = async (scopes: ('app' | 'talk' | 'providers')[]) =>
    dashboard.as((await org.serverToken('sandbox', { scopes })).key)
  for (const scopes of [['app'], ['providers']] as const)
    assert.equal((await (await at([...scopes])).put('/api/credentials', body)).status, 200)
  refusedWithCode(
    await (await at(['talk'])).put('/api/credentials', body),
    403,
    'FORBIDDEN',
    'this key does not open providers or app: it opens talk',
  )
  refusedWithCode(await save(dashboard, 'acme'), 401, 'MISSING_KEY', 'this door takes an API key')
})

test('a provider this build lacks and a blank key are 400 and save nothing (SD-64)', async () => {
  const org = await orgOn('pro')
  const blank = 'key is 1 to 1024 characters and not blank'
  for (const apiKey of ['', '  ', 'x'.repeat(1025)])
    refusedWithCode(await save(org.at, 'acme', apiKey), 400, 'BAD_REQUEST', blank)
  const strange = await save(org.at, 'stranger')
  assert.deepEqual([strange.status, strange.body.code], [400, 'BAD_REQUEST'])
  assert.match(strange.body.error, /stranger/)
  assert.deepEqual((await org.admin.get('/v1/provider-keys')).body, { vendors: [] })
})

test('a changed table counts at once: the list, the verdict and what is lent follow (S-282, S-376, SD-65, ST-110)', async () => {
  using own = new VendorFolder().add(manifestOf('acme', ['stt']))
  const rates = (managed: boolean) => own.write('rates.json', [rateOf('stt', 'acme', managed)])
  await using changing = await startDeployment({
    SVC_RATES: rates(true),
    SVC_VENDOR_FOLDERS: own.path,
    SVC_PROVIDER_KEY_ACME: 'the-platforms-key',
  })
  const { key, client } = await (await changing.newOrg()).person('admin')
  const seen = async () => {
    const list = (await changing.dashboard.get('/api/rates/models')).body
    const { reason } = await verdict(changing.dashboard.as(key), 'stt', 'acme-stt-1')
    const { providers } = (await client.get('/v1/providers')).body
    const { availability } = providers.find(({ name }: { name: string }) => name === 'acme')
    return [list.models[0].managed, list.managedProviders.stt, reason, availability]
  }
  assert.deepEqual(await seen(), [true, ['acme'], 'ok', 'offered'])
  rates(false)
  assert.deepEqual(await seen(), [false, [], 'byok_key_required', 'bring your own'])
  rates(true)
  assert.deepEqual(await seen(), [true, ['acme'], 'ok', 'offered'])
})
