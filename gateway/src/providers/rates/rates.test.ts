import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readSettings } from '../../foundation/settings.ts'
import { Rates } from './rates.ts'

const folder = mkdtempSync(join(tmpdir(), 'switchroom-rates-'))
after(() => rmSync(folder, { recursive: true }))

const row = {
  service: 'stt',
  provider: 'acme',
  model: 'ear-1',
  managed: true,
  tier: 'basic',
  unit: 'minute',
  credits: 0.5,
}

/** A rate file of its own, what is read from it, and what is logged about it. */
function ratesFrom(content: unknown) {
  const file = join(mkdtempSync(join(folder, 'file-')), 'rates.json')
  const told: string[] = []
  const write = (wanted: unknown) =>
    writeFileSync(file, typeof wanted === 'string' ? wanted : JSON.stringify(wanted))
  if (content !== undefined) write(content)
  return { file, told, write, rates: new Rates(file, { warn: (line: string) => void told.push(line) }) }
}

const shipped = () => {
  const key = Buffer.alloc(32, 1).toString('base64')
  const { ratesFile } = readSettings({ SVC_VAULT_KEY: key, SVC_DATABASE_URL: 'postgresql://db/x' })
  return new Rates(ratesFile, { warn: assert.fail }).table()
}

test('the shipped table prices the managed providers and those that take an own key alone (S-377, S-378, SD-65)', async () => {
  const table = await shipped()
  const byService = (isManaged: boolean) =>
    (['stt', 'tts', 'llm'] as const).map((service) => {
      const providers = new Set(
        table.records.filter((rate) => rate.service === service).map((rate) => rate.provider),
      )
      return [...providers].filter((provider) => table.isManaged(service, provider) === isManaged)
    })
  assert.deepEqual(byService(true), [
    ['assemblyai', 'deepgram', 'elevenlabs', 'gladia', 'openai', 'soniox'],
    ['cartesia', 'deepgram', 'elevenlabs', 'openai'],
    ['anthropic', 'google', 'groq', 'openai'],
  ])
  assert.deepEqual(byService(false), [
    ['azure', 'speechmatics'],
    ['azure', 'rime'],
    ['cerebras', 'deepseek', 'mistral', 'together', 'xai'],
  ])
})

test('a realtime model is managed and billed by the audio token, above every text token of its provider (S-379, S-380, SD-60, SD-65)', async () => {
  const { records } = await shipped()
  const realtime = records.filter(({ unit }) => unit === 'audio_token')
  assert.deepEqual(
    realtime.map(({ service, provider, model, managed }) => ({ service, provider, model, managed })),
    [
      ['google', 'gemini-3.8-live'],
      ['openai', 'gpt-realtime'],
      ['openai', 'gpt-realtime-2.1'],
      ['openai', 'gpt-realtime-2.1-mini'],
    ].map(([provider, model]) => ({ service: 'llm', provider, model, managed: true })),
  )
  const texts = records.filter(({ provider, unit }) => provider === 'openai' && unit === 'token')
  assert.ok(texts.length > 0)
  const least = Math.min(...realtime.map(({ credits }) => credits))
  for (const { model, credits } of texts) assert.ok(credits < least, model)
})

test('the shipped tiers: two providers and the realtime models are premium, the rest basic (SD-83)', async () => {
  for (const { service, provider, model, tier } of (await shipped()).records) {
    const isRealtime = service === 'llm' && /^gpt-realtime|-live$/.test(model)
    const isPremium = ['anthropic', 'xai'].includes(provider) || isRealtime
    assert.equal(tier, isPremium ? 'premium' : 'basic', `${provider}/${model}`)
  }
})

test('the shipped table prices every model that a default names (SD-74, SD-77, SD-83)', async () => {
  const table = await shipped()
  const named = {
    stt: [
      'deepgram/nova-3',
      'deepgram/nova-2',
      'deepgram/flux-general-en',
      'openai/whisper-1',
      'openai/gpt-transcribe',
      'soniox/stt-async-v5',
      'soniox/stt-rt-v5',
      'gladia/solaria-1',
    ],
    llm: ['openai/gpt-6-luna', 'openai/gpt-4.1-mini', 'google/gemini-2.5-flash'],
  } as const
  for (const service of ['stt', 'llm'] as const)
    for (const name of named[service]) {
      const [provider = '', model = ''] = name.split('/')
      assert.ok(Number(table.find(service, provider, model)?.credits) > 0, name)
    }
})

test('a table answers by service, provider and model, in that order whatever the file (SD-65)', async () => {
  const { rates } = ratesFrom([
    { ...row, model: 'ear-2', managed: false },
    { ...row, service: 'tts', unit: 'character', model: 'voice-1' },
    { ...row, provider: 'beta', managed: false },
    row,
    { ...row, service: 'llm', unit: 'token', model: 'mind-1' },
  ])
  const table = await rates.table()
  assert.deepEqual(
    table.records.map(({ service, provider, model }) => `${service} ${provider}/${model}`),
    ['llm acme/mind-1', 'stt acme/ear-1', 'stt acme/ear-2', 'stt beta/ear-1', 'tts acme/voice-1'],
  )
  assert.equal(table.find('stt', 'acme', 'ear-2')?.managed, false)
  assert.equal(table.find('tts', 'acme', 'ear-1'), undefined)
  assert.deepEqual(table.modelsOf('stt', 'acme'), ['ear-1', 'ear-2'])
  // one managed record makes the provider managed, for that service alone
  assert.deepEqual([table.isManaged('stt', 'acme'), table.isManaged('stt', 'beta')], [true, false])
  // of a model that several providers have, the name alone says nothing
  assert.equal(table.findByModel('stt', 'ear-1'), undefined)
  assert.equal(table.findByModel('stt', 'ear-2')?.provider, 'acme')
})

test('a file that cannot be used at the start is a sentence that names it and what is wrong (SD-65)', async () => {
  const wrong: [content: unknown, sentence: string][] = [
    [undefined, 'cannot be read (ENOENT)'],
    ['{"service":', 'is not JSON'],
    [{}, 'is not a list of rates'],
    [[row, 'row'], 'is wrong in row 2: it must be object'],
    [[{ ...row, credits: -1 }], 'is wrong in row 1: credits must be >= 0'],
    [[{ ...row, managed: 'yes' }], 'is wrong in row 1: managed must be boolean'],
    [[{ ...row, tier: 'gold' }], 'is wrong in row 1: tier must be equal to one of the allowed values'],
    [[{ ...row, model: ' ' }], String.raw`is wrong in row 1: model must match pattern "^\S(.*\S)?$"`],
    [[{ ...row, unit: 'character' }], 'is wrong in row 1: stt is billed by minute, not by character'],
    [[row, { ...row, credits: 1 }], 'names stt acme/ear-1 twice'],
  ]
  for (const [content, sentence] of wrong) {
    const { file, rates } = ratesFrom(content)
    await assert.rejects(rates.table(), {
      message: `the rate table ${file} ${sentence}: correct it, or name another with SVC_RATES`,
    })
  }
})

test('a changed file counts at the next question; a broken or vanished one is logged once and changes nothing (S-282, SD-65, ST-110)', async () => {
  const { file, rates, write, told } = ratesFrom([row])
  const price = async () => (await rates.table()).find('stt', 'acme', 'ear-1')?.credits
  assert.equal(await price(), 0.5)
  write([{ ...row, credits: 7 }])
  assert.equal(await price(), 7)

  write('[{')
  assert.deepEqual(await Promise.all([price(), price(), price()]), [7, 7, 7])
  assert.equal(await price(), 7)
  const still = 'the rates from before still apply'
  assert.deepEqual(told.splice(0), [`the rate table ${file} is not JSON: ${still}`])

  rmSync(file)
  assert.deepEqual(await Promise.all([price(), price()]), [7, 7])
  assert.deepEqual(told.splice(0), [`the rate table ${file} cannot be read (ENOENT): ${still}`])

  write([{ ...row, credits: 9 }])
  assert.equal(await price(), 9)
  assert.deepEqual(told, [])
})

test('a file that is read while it changes ends up as it was written last (S-282)', async () => {
  const { rates, write } = ratesFrom([row])
  await rates.table()
  for (let round = 1; round <= 50; round += 1) {
    const longer = ' '.repeat(round) // two writes may share the clock's tick, and then differ by their length
    write(`${JSON.stringify([{ ...row, credits: round }])}${longer}`)
    const asked = [rates.table(), rates.table()]
    write(`${JSON.stringify([{ ...row, credits: round + 1000 }])}${longer}`)
    await Promise.all(asked)
    assert.equal((await rates.table()).records[0]?.credits, round + 1000)
  }
})
