import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { ProviderRow } from '@switchroom/contract/providers'
import { refused } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { manifestOf, VendorFolder } from '../../../testing/providers/vendor-packages.ts'

const folder = new VendorFolder()
  .add(manifestOf('mind', ['llm']))
  .add(manifestOf('throat', ['tts']))
  .add(manifestOf('ear-1', ['stt']))
const deployment = await startDeployment({ SVC_VENDOR_FOLDERS: folder.path })
after(async () => {
  await deployment[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})
const { operator } = deployment
const path = '/v1/ops/providers'

const whole: ProviderRow = {
  defaults: { llm: 'mind/meta/big', stt: 'ear-1/sharp', tts: 'throat' },
  fallbacks: { llm: ['mind/small'], stt: [], tts: ['throat'] },
  models: { 'llm/mind': ['meta/big', 'small'], 'tts/gone': ['one'] },
  voices: {
    throat: {
      en: ['ann', { id: 'ben', name: 'Ben', accent: null }],
      'pt-BR': [{ id: 'caio', language: 'pt-PT' }],
    },
    gone: { es: [] },
  },
  options: { 'llm/mind': { base_url: 'http://127.0.0.1:9/v1' }, 'stt/gone': { anything: [1] } },
  end_of_turn: { 'ear-1': 'framework', 'ear-1/sharp-': 'stt', gone: 'smart-turn' },
  can_end_turn: ['ear-1/sharp-', 'gone'],
  lines: { en: 'Hello.', 'pt-BR': 'Olá.' },
  judge: 'mind/small',
  withheld: { mind: ['org_1', 'acme'], throat: 'all', gone: [] },
}
const put = (changed: Partial<Record<keyof ProviderRow, unknown>>) =>
  operator.put(path, { ...whole, ...changed })
const read = async () => (await operator.get(path)).body

test('a new deployment has the row of its file, and a PUT replaces it whole (SD-47)', async () => {
  const shipped = await read()
  assert.deepEqual(Object.keys(shipped), Object.keys(whole))
  const answer = await operator.put(path, { ...whole, unheard_of: 1 })
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(answer.body, whole)
  assert.equal((await operator.get(path)).text, JSON.stringify(whole))
  const { rows } = await deployment.sql('select document from providers_row')
  assert.deepEqual(rows, [{ document: whole }])
})

test('a row that is not of its shape is 422, and then nothing changes (SD-02, SD-47)', async () => {
  await put({})
  for (const field of Object.keys(whole)) {
    const { [field as keyof ProviderRow]: _, ...rest } = whole
    refused(await operator.put(path, rest), 422, `${field}: is required`)
  }
  refused(await put({ defaults: { llm: 'mind/x', stt: 'ear-1/x' } }), 422, 'defaults.tts: is required')
  refused(await put({ models: { 'llm/mind': 'big' } }), 422, 'models.llm/mind: must be a list')
  refused(await put({ voices: { throat: { en: [1] } } }), 422, /^voices\.throat\.en\.0: must be a string or/)
  refused(
    await put({ voices: { throat: { en: [{ name: 'Ann' }] } } }),
    422,
    'voices.throat.en.0.id: is required',
  )
  refused(await put({ withheld: { mind: null } }), 422, 'withheld.mind: must be a list or a string')
  refused(await put({ judge: 1 }), 422, 'judge: must be a string or null')
  assert.deepEqual(await read(), whole)
})

test('words of the row are vendor/model, of the voice a vendor alone (SD-47, SD-50)', async () => {
  const defaults = (changed: object) => put({ defaults: { ...whole.defaults, ...changed } })
  for (const llm of ['mind', 'mind/', 'mind/ ', '/big', 'Mind/big', ''])
    refused(await defaults({ llm }), 400, `defaults.llm is vendor/model, and "${llm}" is not`)
  for (const tts of ['throat/fast', '', 'Throat'])
    refused(await defaults({ tts }), 400, `defaults.tts is a vendor alone, and "${tts}" is none`)
  const fallbacks = (changed: object) => put({ fallbacks: { ...whole.fallbacks, ...changed } })
  refused(
    await fallbacks({ stt: ['ear-1/a', 'ear-1'] }),
    400,
    'fallbacks.stt.1 is vendor/model, and "ear-1" is not',
  )
  refused(
    await fallbacks({ tts: ['throat/x'] }),
    400,
    'fallbacks.tts.0 is a vendor alone, and "throat/x" is none',
  )
  refused(await put({ judge: 'small' }), 400, 'judge is vendor/model, and "small" is not')
})

test('a default, a fallback and the judge name a vendor that this build has for the stage (SD-47)', async () => {
  const { defaults, fallbacks } = whole
  refused(
    await put({ defaults: { ...defaults, llm: 'gone/x' } }),
    400,
    'defaults.llm: this build has no plugin for gone',
  )
  refused(
    await put({ defaults: { ...defaults, tts: 'mind' } }),
    400,
    'defaults.tts: this build has no plugin for mind that does tts',
  )
  refused(
    await put({ fallbacks: { ...fallbacks, stt: ['gone/x'] } }),
    400,
    'fallbacks.stt.0: this build has no plugin for gone',
  )
  refused(await put({ judge: 'gone/x' }), 400, 'judge: this build has no plugin for gone')
})

test('what is said of vendors is keyed by services, vendors and languages that can be (SD-47)', async () => {
  const service = 'is by service/vendor, of the services llm · stt · tts, and'
  for (const key of ['video/mind', 'mind', 'llm/', 'llm/Mind', 'llm/a/b']) {
    refused(await put({ models: { [key]: [] } }), 400, `models ${service} "${key}" is not`)
    refused(await put({ options: { [key]: {} } }), 400, `options ${service} "${key}" is not`)
  }
  for (const place of ['voices', 'withheld'])
    refused(
      await put({ [place]: { 'tts/throat': place === 'voices' ? {} : 'all' } }),
      400,
      `${place} is by vendor, and "tts/throat" is not the name of one`,
    )
  refused(
    await put({ voices: { throat: { english: [] } } }),
    400,
    'voices.throat: "english" is not a language such as en or pt-BR',
  )
  refused(
    await put({ voices: { throat: { en: [{ id: 'a', language: 'EN' }] } } }),
    400,
    'voices.throat.en: "EN" is not a language such as en or pt-BR',
  )
  refused(await put({ lines: { EN: 'Hello' } }), 400, 'lines: "EN" is not a language such as en or pt-BR')
  for (const key of ['', 'Ear', 'ear-1/', '/x'])
    refused(
      await put({ can_end_turn: [key] }),
      400,
      `can_end_turn names a vendor or vendor/model, and "${key}" is neither`,
    )
  refused(
    await put({ end_of_turn: { 'ear-1/': 'stt' } }),
    400,
    'end_of_turn names a vendor or vendor/model, and "ear-1/" is neither',
  )
})

test('a value of the row that nothing could be done with is 400 in its place (SD-47, SD-18)', async () => {
  for (const name of [' ', 'x'.repeat(201)])
    refused(
      await put({ models: { 'llm/mind': ['ok', name] } }),
      400,
      "models.llm/mind: a model's name is 1 to 200 characters",
    )
  for (const voice of ['', { id: ' ' }, { id: 'x', name: '' }])
    refused(
      await put({ voices: { throat: { en: [voice] } } }),
      400,
      "voices.throat.en: a voice's id and name are 1 to 200 characters",
    )
  refused(
    await put({ end_of_turn: { 'ear-1': 'guess' } }),
    400,
    'end_of_turn.ear-1 is one of stt · framework · smart-turn',
  )
  for (const line of ['  ', 'x'.repeat(401)])
    refused(await put({ lines: { en: line } }), 400, 'lines.en is 1 to 400 characters')
  for (const orgs of ['acme', [' ']])
    refused(await put({ withheld: { mind: orgs } }), 400, 'withheld.mind is a list of orgs, or all')
})

test("an option is a keyword of the vendor's classes for the service, and never a secret (SD-47, S-257)", async () => {
  const options = (named: object) => put({ options: { 'llm/mind': named } })
  refused(await options({ nosuch: 1 }), 400, 'options.llm/mind: mind takes no nosuch for llm')
  refused(
    await put({ options: { 'tts/mind': { model: 'x' } } }),
    400,
    'options.tts/mind: mind takes no model for tts',
  )
  refused(
    await options({ api_key: 'sk-mark' }),
    400,
    'options.llm/mind: api_key is a secret, and people read this row',
  )
  const address = 'options.llm/mind.base_url is an address of http, https, ws or wss without a user in it'
  for (const base_url of ['somewhere', 'file:///x', 'http://u:p@x', 1, null])
    refused(await options({ base_url }), 400, address)
  assert.equal((await options({ base_url: 'wss://x.example/v1', language: 'en' })).status, 200)
})

test('two gateways on one database read the same row at once (SD-47)', async () => {
  await using other = await deployment.another()
  for (const line of ['One.', 'Two.', 'Three.']) {
    await put({ lines: { en: line } })
    assert.deepEqual((await other.operator.get(path)).body.lines, { en: line })
  }
})

test('of gateways that start a new deployment at once one keeps its row, and a restart keeps what was set (SD-47)', async () => {
  await using other = await deployment.another()
  const rows = [deployment, other].map(({ gateway }) => gateway.services.providersRow)
  await deployment.sql('delete from providers_row')
  await Promise.all([...rows, ...rows].map((row) => row.loadFirst()))
  const { rowCount } = await deployment.sql('select from providers_row')
  assert.equal(rowCount, 1)
  await put({ lines: { en: 'Set.' } })
  await using again = await deployment.another({ SVC_PROVIDERS: `${folder.path}/gone.json` })
  assert.deepEqual((await again.operator.get(path)).body.lines, { en: 'Set.' })
})

test('replacements concurrently leave one of them whole (SD-47)', async () => {
  const lines = Array.from({ length: 12 }, (_, i) => ({ en: `Line ${i}.`, es: `Línea ${i}.` }))
  await Promise.all(lines.map((line) => put({ lines: line })))
  const kept = (await read()).lines
  assert.ok(lines.some(({ en, es }) => kept.en === en && kept.es === es))
})

test('SVC_PROVIDERS names the row of a new deployment, and a file that is none is a start failure (SD-47)', async () => {
  const lines = { en: 'From the file.' }
  const file = folder.write('providers.json', {
    ...whole,
    lines,
    defaults: { ...whole.defaults, tts: 'gone' },
  })
  {
    await using fresh = await startDeployment({ SVC_PROVIDERS: file })
    assert.deepEqual((await fresh.operator.get(path)).body.lines, lines)
  }
  const cannot = `the providers row of ${file} cannot be used: `
  const broken: [unknown, string][] = [
    [{ ...whole, lines: 1 }, 'lines must be object'],
    [[], 'must be object'],
    [{ ...whole, lines: { en: ' ' } }, 'lines.en is 1 to 400 characters'],
  ]
  for (const [content, why] of broken) {
    folder.write('providers.json', content)
    await assert.rejects(startDeployment({ SVC_PROVIDERS: file }), {
      message: `${cannot}${why}; SVC_PROVIDERS names the file`,
    })
  }
  await assert.rejects(startDeployment({ SVC_PROVIDERS: `${file}.gone` }), /it cannot be read; SVC_PROVIDERS/)
})
