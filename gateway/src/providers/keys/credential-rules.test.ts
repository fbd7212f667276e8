import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manifestOf } from '../../../testing/providers/vendor-packages.ts'
import { broughtOf, credentialsFrom, isOperatorsName } from './credential-rules.ts'

const fields = ['api_key', 'region', 'organization', 'a', 'b', 'c', 'd', 'e', 'f', 'base_url', 'key_file']
const plain = manifestOf('plain', ['tts'], { credentials: { fields, key: 'api_key' } })
const double = manifestOf('double', ['tts'], {
  credentials: { fields, key: 'api_key', needs: ['api_key', 'region'] },
})
const free = manifestOf('free', ['tts'], { credentials: { fields: [] } })
const odd = manifestOf('odd', ['tts'], { credentials: { fields: ['token'], key: 'token' } })

const bring = (wanted: object, manifest: typeof plain | null = plain) =>
  broughtOf({ name: manifest?.name ?? 'unread', manifest }, wanted)
const refusedWith = (wanted: object, message: string, manifest?: typeof plain | null) =>
  assert.throws(() => bring(wanted, manifest), { status: 400, message })

test('an org brings exactly one of a key and credentials (SD-51)', () => {
  assert.deepEqual(bring({ key: 'sk-1' }), { key: 'sk-1' })
  assert.deepEqual(bring({ credentials: { api_key: 'sk-1' } }), { credentials: { api_key: 'sk-1' } })
  for (const wanted of [{}, { key: 'sk-1', credentials: { api_key: 'sk-1' } }])
    refusedWith(wanted, 'bring either key or credentials, and not both')
})

test('a key is a short text that is not blank, and no sentence repeats it (SD-51)', () => {
  assert.deepEqual(bring({ key: '🔑'.repeat(1024) }), { key: '🔑'.repeat(1024) })
  for (const key of ['', ' \t', 'k'.repeat(1025)])
    refusedWith({ key }, 'key is 1 to 1024 characters and not blank')
})

test('a vendor that needs more than a key says which fields, and one that needs none takes none (SD-51)', () => {
  refusedWith({ key: 'k' }, 'double needs more than a key: bring credentials with api_key · region', double)
  refusedWith({ credentials: { api_key: 'k' } }, 'double does not run without region', double)
  refusedWith({ credentials: { organization: 'o' } }, 'plain does not run without api_key')
  const whole = { credentials: { api_key: 'k', region: 'r' } }
  assert.deepEqual(bring(whole, double), whole)
  const none = 'free runs without a key, so there is none to bring'
  refusedWith({ key: 'k' }, none, free)
  refusedWith({ credentials: { api_key: 'k' } }, none, free)
})

test('credentials are one to eight fields, counted before anything else of them is judged (SD-52, ST-077, S-251)', () => {
  const eight = { api_key: 'k', region: 'r', a: 1, b: 0, c: true, d: false, e: 1.5, organization: 'o' }
  assert.deepEqual(bring({ credentials: eight }), { credentials: eight })
  for (const credentials of [{}, { ...eight, f: 'x' }, { ...eight, unheard_of: null }])
    refusedWith({ credentials }, 'credentials are 1 to 8 fields')
})

test('a credential is a short scalar, and no sentence repeats it (SD-52, S-252)', () => {
  const form =
    'credentials.region is a text of 1 to 1024 characters that is not blank, a number, or true or false'
  for (const region of ['', '  ', 'r'.repeat(1025), null, ['r'], { r: 1 }])
    refusedWith({ credentials: { api_key: 'k', region } }, form)
})

test("a credential is a field of the manifest or of a class's constructor (SD-52, S-253)", () => {
  refusedWith({ credentials: { api_key: 'k', nosuch: 'x' } }, 'credentials.nosuch: plain takes no such field')
  assert.ok(bring({ credentials: { api_key: 'k', language: 'en' } }))
})

const names: [string, boolean][] = [
  ['base_url', true],
  ['endpoint', true],
  ['http_session', true],
  ['api_url', true],
  ['speech_endpoint', true],
  ['speech_host', true],
  ['key_file', true],
  ['model_path', true],
  ['aiohttp_session', true],
  ['api_key', false],
  ['region', false],
  ['session_token', false],
  ['url', false],
  ['path_style', false],
  ['profile', false],
]

test("addresses, files and sessions are the operator's even if a constructor takes them (SD-52, ST-076, S-254, S-255, S-256)", () => {
  for (const [name, isTheirs] of names) assert.equal(isOperatorsName(name), isTheirs, name)
  for (const name of ['base_url', 'key_file', 'http_session'])
    refusedWith(
      { credentials: { api_key: 'k', [name]: 'https://elsewhere.example' } },
      `credentials.${name} is the operator's to set: credentials are secrets alone`,
    )
})

test('a vendor whose manifest cannot be read takes a key, and still no address (SD-51)', () => {
  assert.deepEqual(bring({ key: 'k' }, null), { key: 'k' })
  assert.deepEqual(bring({ credentials: { anything: 'k' } }, null), { credentials: { anything: 'k' } })
  refusedWith(
    { credentials: { base_url: 'k' } },
    "credentials.base_url is the operator's to set: credentials are secrets alone",
    null,
  )
})

test('a key fills the field that the manifest names when it is used (SD-51)', () => {
  assert.deepEqual(credentialsFrom({ key: 'k' }, odd), { token: 'k' })
  assert.deepEqual(credentialsFrom({ key: 'k' }, plain), { api_key: 'k' })
  assert.deepEqual(credentialsFrom({ key: 'k' }, null), { api_key: 'k' })
  assert.deepEqual(credentialsFrom({ credentials: { a: 1 } }, odd), { a: 1 })
})
