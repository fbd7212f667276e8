import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { operator, anonymous } = deployment
const defaults = { name: 'Switchroom', logo_url: null, accent: '#2f6fed' }
const put = (body: object) => operator.put('/v1/ops/brand', body)
const read = async () => (await operator.get('/v1/ops/brand')).body

test('the brand is the default until the operator changes the fields they name (I-128, I-129, I-435, I-436, I-447, ID-166, ID-167, T-89)', async () => {
  assert.deepEqual(await read(), defaults)
  const changed = await put({ name: '  Acme Voice ', accent: '#ABCDEF' })
  assert.deepEqual(
    [changed.status, changed.body],
    [200, { name: 'Acme Voice', logo_url: null, accent: '#abcdef' }],
  )
  const logo_url = 'https://acme.example/logo.png'
  assert.deepEqual((await put({ logo_url })).body, { name: 'Acme Voice', logo_url, accent: '#abcdef' })
  assert.deepEqual((await anonymous.get('/.well-known/svc')).body.brand, await read())
})

test('an empty string restores a default and is the only way to clear a logo (I-437, I-438, T-89)', async () => {
  await put({ name: 'Acme', logo_url: 'https://acme.example/l.png', accent: '#000000' })
  assert.equal((await put({})).body.logo_url, 'https://acme.example/l.png')
  refused(await put({ logo_url: null }), 422, 'logo_url: must be a string')
  assert.deepEqual((await put({ logo_url: '', accent: '', name: '   ' })).body, defaults)
})

test('a field that does not fit is 400 in a sentence, and then nothing changes (I-443, I-444, I-445, I-446, I-482, I-523, ID-167, T-88)', async () => {
  await put({ name: 'x'.repeat(60) })
  const before = await read()
  for (const accent of ['red', '#fff', '#12345g', '2f6fed', ' #2f6fed'])
    refused(await put({ accent, name: 'New' }), 400, 'accent is #rrggbb')
  const wrong = [
    'http://x/y.png',
    'https://',
    'javascript:alert(1)',
    'https://u:p@x.example/y',
    `https://x.example/${'a'.repeat(2040)}`,
  ]
  for (const logo_url of wrong)
    refused(await put({ logo_url, name: 'New' }), 400, 'logo_url is an https address')
  for (const name of ['x'.repeat(61), 'two\nlines', 'bell\u0007'])
    refused(await put({ name }), 400, 'name is one line of at most 60 characters')
  assert.deepEqual(await read(), before)
  assert.equal((await put({ name: '🎧'.repeat(60) })).status, 200)
})

test('two changes of different fields at the same time both count', async () => {
  for (let round = 0; round < 5; round += 1) {
    await Promise.all([put({ name: `Name ${round}` }), put({ accent: `#00000${round}` })])
    const { name, accent } = await read()
    assert.deepEqual([name, accent], [`Name ${round}`, `#00000${round}`])
  }
})
