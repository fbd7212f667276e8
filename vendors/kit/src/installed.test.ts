import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import { findVendors, vendorIn } from './installed.ts'

const root = mkdtempSync(join(tmpdir(), 'installed-'))
after(() => rmSync(root, { recursive: true }))

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(root, 'packages-'))
})

const manifest = {
  name: 'acme',
  does: ['tts'],
  credentials: { fields: ['api_key'], key: 'api_key' },
  stages: {
    tts: {
      default: 'TTS',
      model: 'sonic',
      classes: {
        TTS: {
          takes: ['model', 'voice', 'base_url'],
          knobs: { tts_model: 'model', voice: 'voice' },
          streams: true,
        },
      },
    },
  },
}

const speaking = `export default { voice: (setting) => ({
  sampleRate: 8000,
  async *speak(text) { yield { type: 'word', word: JSON.stringify({ text, ...setting }), start: 0, end: 1 } },
}) }`

/** Installs a package; the manifest is left out, or broken, as the test likes. */
function install(name: string, svcVendor: unknown, code = speaking, more: object = {}) {
  const at = join(folder, name)
  mkdirSync(at, { recursive: true })
  const declared = { name, type: 'module', exports: './adapter.js', svcVendor, ...more }
  writeFileSync(join(at, 'package.json'), JSON.stringify(declared))
  writeFileSync(join(at, 'adapter.js'), code)
  return at
}

const found = () => findVendors([folder])
const whyBroken = (name = 'acme') => found().get(name)?.whyBroken()

test('a vendor is warm once its adapter is loaded and has loaded what it needs', async () => {
  install(
    'acme',
    manifest,
    speaking.replace('default {', 'default { warm: async () => { globalThis.warmed = true },'),
  )
  install('plain', { ...manifest, name: 'beta' })
  const vendors = found()
  await vendors.get('beta')?.warm(AbortSignal.timeout(10_000))
  assert.equal('warmed' in globalThis, false)
  await vendors.get('acme')?.warm(AbortSignal.timeout(10_000))
  assert.equal('warmed' in globalThis, true)
  Reflect.deleteProperty(globalThis, 'warmed')
})

test('a vendor without a key can lend what it runs if its adapter can do both sides of it', async () => {
  const keyless = { ...manifest, credentials: { fields: [] } }
  const lending = speaking.replace('default {', 'default { lend() {}, borrow() {},')
  install('both', { ...keyless, name: 'both' }, lending)
  install('half', { ...keyless, name: 'half' }, lending.replace('borrow() {},', ''))
  install('none', { ...keyless, name: 'none' })
  install('keyed', { ...manifest, name: 'keyed' }, lending)
  install('broken', { ...keyless, name: 'broken' }, 'throw new Error("no")')
  const vendors = found()
  const names = ['both', 'half', 'none', 'keyed', 'broken']
  const can = await Promise.all(names.map(async (name) => vendors.get(name)?.canLend()))
  assert.deepEqual(can, [true, false, false, false, false])
})

test('a package is a vendor by its manifest, whatever its name and scope (SD-46)', async () => {
  install('@acme-org/speech', manifest)
  install('@acme-org/else', undefined)
  install('plain', { ...manifest, name: 'beta' })
  install('nothing', undefined)
  const vendors = found()
  const ours = new Set(findVendors().all.map(({ name }) => name))
  assert.deepEqual(
    vendors.all.map(({ name }) => name).filter((name) => !ours.has(name)),
    ['acme', 'beta'],
  )
  assert.equal(await whyBroken(), null)
  assert.deepEqual(vendors.get('acme')?.does, ['tts'])
  assert.equal(vendors.doing('tts', 'acme'), vendors.get('acme'))
  assert.equal(vendors.doing('stt', 'acme'), undefined)
})

test('the vendors of this project are found beside the kit', () => {
  assert.ok(findVendors().get('local'))
})

test('a class is built with its keywords and spoken to (SD-46)', async () => {
  install('acme', manifest)
  const choice = { knobs: { voice: 'ana', speed: 2 }, options: { base_url: 'http://x' } }
  const voice = await found()
    .get('acme')
    ?.voice({ ...choice, credentials: { api_key: 'k-12345678' } })
  assert.ok(voice)
  const [said] = await Array.fromAsync(voice.speak('hi', AbortSignal.timeout(10_000)))
  assert.deepEqual(JSON.parse(said?.type === 'word' ? said.word : ''), {
    text: 'hi',
    class: 'TTS',
    keywords: { model: 'sonic', voice: 'ana', base_url: 'http://x' },
    credentials: { api_key: 'k-12345678' },
  })
})

test('an undeclared class is not built, not even one that every object has', async () => {
  install('acme', manifest)
  for (const builds of ['Gone', 'constructor'])
    await assert.rejects(async () => found().get('acme')?.voice({ builds, credentials: {} }), {
      message: `acme has no class ${builds}`,
    })
})

test('a vendor whose manifest is broken is there under the name of its package, with the reason (SD-46)', async () => {
  install('@acme-org/cut', { ...manifest, does: 'tts' })
  const vendor = found().get('cut')
  assert.deepEqual([vendor?.does, vendor?.manifest], [[], null])
  assert.equal(await vendor?.whyBroken(), 'svcVendor/does must be array')
})

test('a manifest that cannot even be parsed breaks its vendor, and nothing else (SD-46)', async () => {
  install('acme', manifest)
  writeFileSync(join(install('cut', {}), 'package.json'), '{"name": "cut", "svcVendor": {')
  assert.equal(await whyBroken('cut'), 'its package.json is not JSON')
  assert.equal(await whyBroken('acme'), null)
})

test('an adapter that throws while it loads breaks its vendor (SD-46)', async () => {
  install('acme', manifest, 'throw new Error("no such library")')
  assert.equal(await whyBroken(), 'no such library')
  await assert.rejects(async () => found().get('acme')?.voice({ credentials: {} }), {
    kind: 'silent',
    message: 'no such library',
  })
})

test('an adapter that is not there breaks its vendor (SD-46)', async () => {
  install('acme', manifest, speaking, { exports: './gone.js' })
  assert.match(String(await whyBroken()), /Cannot find module/)
  install('acme', manifest, 'export const voice = 1')
  assert.equal(await whyBroken(), 'its package exports no adapter')
})

test('an adapter that never loads breaks its vendor (SD-46)', async (t) => {
  install('acme', manifest, 'await new Promise(() => {})')
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const reason = whyBroken()
  t.mock.timers.tick(10_000)
  assert.equal(await reason, 'its adapter did not load in time')
})

test('an adapter that lacks what its manifest says breaks its vendor (SD-46)', async () => {
  install('acme', manifest, 'export default { voice: 7, transcriber() {} }')
  assert.equal(await whyBroken(), 'its adapter has no voice for tts')
  const listing = {
    ...manifest,
    name: 'beta',
    stages: { tts: { ...manifest.stages.tts, lists_voices: true } },
  }
  install('beta', listing)
  assert.equal(await whyBroken('beta'), 'its adapter lists no voices')
})

for (const [how, fields] of Object.entries({
  'its main': { exports: undefined, main: './adapter.js' },
  'its exports': { exports: { '.': './adapter.js' } },
  'conditions of its exports': { exports: { '.': { import: './adapter.js' } } },
}))
  test(`an adapter is found by ${how}`, async () => {
    install('acme', manifest, speaking, fields)
    assert.equal(await whyBroken(), null)
  })

test('two packages of one name break the vendor, one found twice does not', async () => {
  const at = install('first', manifest)
  symlinkSync(at, join(folder, 'linked'))
  assert.equal(await whyBroken(), null)
  install('second', manifest)
  assert.equal(await whyBroken(), 'two installed packages call themselves acme')
})

test('a vendor is gone when its package is', () => {
  const at = install('acme', manifest)
  assert.ok(found().get('acme'))
  rmSync(at, { recursive: true })
  assert.equal(found().get('acme'), undefined)
})

test('a folder with other things in it, or none at all, is no fault', () => {
  writeFileSync(join(folder, '@a-file'), '')
  writeFileSync(join(folder, 'another'), '')
  mkdirSync(join(folder, 'odd', 'package.json'), { recursive: true })
  symlinkSync(join(folder, 'nowhere'), join(folder, 'dangling'))
  const vendors = findVendors([folder, join(folder, 'nowhere')])
  assert.ok(vendors.get('local'))
  assert.equal(vendors.get('odd'), undefined)
})

test('a vendor without a key field needs none', () => {
  const at = install('acme', { ...manifest, credentials: { fields: [] } })
  assert.equal(vendorIn(at)?.needsKey, false)
  assert.equal(vendorIn(install('beta', manifest))?.needsKey, true)
})
