import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { endpointVendor } from '@switchroom/contract/endpoint-names'
import { findVendors } from '@switchroom/kit/installed'
import { readRates } from '../rates/rate-file.ts'
import { readRowFile } from './row-file.ts'
import { refuseUnrunnable } from './row-vendors.ts'

const build = join(import.meta.dirname, '../../..')
const row = await readRowFile(join(build, 'providers.json'))
const rates = readRates(readFileSync(join(build, 'rates.json'), 'utf8'))
const vendors = findVendors()

test("the shipped row passes its own rules, and everything it runs is the platform's own engine (SD-80, SD-83)", () => {
  refuseUnrunnable(row, vendors)
  const words = [row.defaults.llm, row.defaults.stt, row.defaults.tts]
  for (const word of words) {
    const vendor = vendors.get(word.split('/')[0] ?? '')
    assert.equal(vendor?.needsKey, false, `${word} needs a key`)
  }
  assert.deepEqual(row.fallbacks, { llm: [], stt: [], tts: [] })
})

test('the shipped row lists the models of every shipped vendor, and first the one its manifest names (SD-17, SD-83)', () => {
  for (const { name, manifest } of vendors.all)
    for (const [stage, { model }] of Object.entries(manifest?.stages ?? {})) {
      if (name === endpointVendor) continue // its models are each org's own
      assert.equal(row.models[`${stage}/${name}`]?.[0], model, `${stage}/${name}`)
    }
})

/** Runs on an org's own key alone: the documents count the vendors that are priced. */
const unpriced = new Set(['tts/inworld'])

test('the shipped row and the shipped rates name the same models of the same vendors (SD-65, SD-83)', () => {
  const priced = new Map<string, string[]>()
  for (const { service, provider, model } of rates) {
    const key = `${service}/${provider}`
    priced.set(key, [...(priced.get(key) ?? []), model])
  }
  for (const [key, models] of Object.entries(row.models)) {
    const vendor = vendors.get(key.split('/')[1] ?? '')
    if ((vendor && !vendor.needsKey) || unpriced.has(key)) continue
    assert.deepEqual(models.toSorted(), priced.get(key)?.toSorted(), key)
    priced.delete(key)
  }
  assert.deepEqual([...priced.keys()], [])
})

test('what the shipped row says of installed vendors is what they do (SD-18, SD-83)', () => {
  for (const key of [...Object.keys(row.end_of_turn), ...row.can_end_turn]) {
    const [name = '', prefix] = key.split('/')
    const transcriber = vendors.get(name)?.manifest?.stages.stt
    const isKnown = prefix === undefined ? transcriber?.ends_turn : transcriber?.by_model?.[prefix]
    if (vendors.get(name)) assert.ok(isKnown, `${name} has no ears for ${key}`)
  }
  for (const name of Object.keys(row.voices)) {
    const vendor = vendors.get(name)
    if (vendor) assert.ok(vendor.does.includes('tts'), `${name} has no voices`)
  }
  assert.deepEqual(Object.keys(row.lines), ['en', 'es', 'pt'])
})
