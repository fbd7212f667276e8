import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withoutSecrets, wordsOf } from './failures.ts'

const secret = 'sk/live+7Qz="é\\-0123456789abcdef'
const credentials = { api_key: secret }
const bytes = Buffer.from(secret)
const encoded = encodeURIComponent(secret)

const forms: Record<string, string> = {
  'as it is': secret,
  'in a URL': encoded,
  'in a URL in small letters': encoded.replaceAll(/%../g, (code) => code.toLowerCase()),
  'in a form': new URLSearchParams({ k: secret }).toString().slice(2),
  'in JSON': JSON.stringify(secret).slice(1, -1),
  'in JSON that escapes slashes': JSON.stringify(secret)
    .slice(1, -1)
    .replaceAll('/', String.raw`\/`),
  'in base64': bytes.toString('base64'),
  'in base64 without its end': bytes.toString('base64').replace(/=+$/, ''),
  'in base64 of a URL': bytes.toString('base64url'),
  'in base64 behind a name': Buffer.from(`x:${secret}`).toString('base64'),
  'in base64 behind a longer name': Buffer.from(`api:${secret}`).toString('base64'),
}

for (const [how, form] of Object.entries(forms))
  test(`a secret ${how} is not repeated (SD-53, ST-075)`, () => {
    const words = withoutSecrets(`bad key ${form}, sorry`, credentials)
    assert.match(words, /^bad key .*\*\*\*.* sorry$/)
    for (const part of [form.slice(-12), form.slice(10, 22)]) assert.ok(!words.includes(part), words)
  })

for (const length of [8, 12, 20])
  test(`a secret cut short to its first ${length} letters is not repeated (SD-53, ST-075)`, () => {
    for (const form of [forms['as it is'], forms['in a URL'], forms['in base64']])
      for (const rest of ['…', '...', '****', ' and so on'])
        assert.ok(
          !withoutSecrets(`bad key ${form?.slice(0, length)}${rest}`, credentials).includes('sk/live'),
        )
  })

test('a secret escaped in some other way is removed with the word that contains it (SD-53)', () => {
  const plain = { api_key: 'sk-live-7Q/z=the-end' }
  for (const form of ['sk-live-7Q&#x2F;z&#x3D;the-end', String.raw`sk-live-7Q\u002fz\u003dthe-end`])
    assert.equal(withoutSecrets(`no ${form}, sorry`, plain), 'no ***, sorry')
})

test('what follows the secret stays readable', () => {
  assert.equal(withoutSecrets(`key "${secret}" is unknown`, credentials), 'key "***" is unknown')
  assert.equal(withoutSecrets(`${secret} ${secret}`, credentials), '*** ***')
})

test('a short secret is taken out whole, and words that only begin like a long one stay', () => {
  assert.equal(withoutSecrets('pin 4711 is wrong', { pin: 4711 }), 'pin *** is wrong')
  assert.equal(withoutSecrets('sk/liver is no key', credentials), 'sk/liver is no key')
})

test('every credential is taken out, and an empty or a true one takes nothing', () => {
  const several = { api_key: 'first-secret', token: 'second-secret', region: '', verbose: true }
  assert.equal(withoutSecrets('first-secret, second-secret: true', several), '***, ***: true')
})

test('a secret that another one begins with is no end to it', () => {
  assert.equal(
    withoutSecrets('no long-secret%2fof-many-parts', { a: 'long-secret', b: 'long-secret/of-many-parts' }),
    'no ***',
  )
})

test('words are one line, and as long as a person reads', () => {
  assert.equal(wordsOf(' no\r\n\tsuch\u0000  luck ', {}), 'no such luck')
  assert.equal(wordsOf('x'.repeat(300), {}).length, 300)
  assert.equal(wordsOf('x'.repeat(301), {}), `${'x'.repeat(299)}…`)
})

test('long words are cut after the secret is taken out: none is left in two halves (SD-53)', () => {
  for (let before = 280; before < 300; before += 1)
    assert.ok(!wordsOf(`${'x'.repeat(before)} ${secret} and more`, credentials).includes('sk'))
})
