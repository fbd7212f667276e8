import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { startTrialDeployment } from '../../../testing/providers/trial-vendors.ts'

const trial = await startTrialDeployment({ SVC_TRIAL_TIMEOUT_S: '1' })
after(() => trial[Symbol.asyncDispose]())
const { deployment, fake, asked } = trial

beforeEach(() => {
  fake.mode = 'answer'
  asked()
})

async function newOrg() {
  const { client } = await (await deployment.newOrg()).person('admin')
  const bring = (body: object) => client.put('/v1/provider-keys/alpha', { key: 'sk-of-the-org', ...body })
  const kept = async () => (await client.get('/v1/provider-keys')).body.vendors
  return { bring, kept }
}

test('a key that is to be tried is kept once the vendor took it, and asked for one word', async () => {
  const { bring, kept } = await newOrg()
  const answer = await bring({ try: true })
  assert.deepEqual([answer.status, answer.body], [200, { vendors: ['alpha'] }])
  assert.equal(asked().length, 1)
  assert.deepEqual(await kept(), ['alpha'])
})

test('a key that the vendor refuses is not kept, and an earlier one stays', async () => {
  const { bring, kept } = await newOrg()
  fake.mode = 'refuse'
  fake.words = 'no such key'
  refused(await bring({ try: true }), 400, 'alpha refused: no such key')
  assert.deepEqual(await kept(), [])
  fake.mode = 'answer'
  await bring({ try: true })
  fake.mode = 'refuse'
  refused(await bring({ key: 'sk-other', try: true, env: 'sandbox' }), 400, 'alpha refused: no such key')
  assert.deepEqual(await kept(), ['alpha'])
})

test('a vendor that does not answer says neither yes nor no: the key is kept, and the answer says untried', async () => {
  const { bring, kept } = await newOrg()
  fake.mode = 'hang'
  const { status, body } = await bring({ try: true })
  assert.deepEqual(
    [status, body],
    [200, { vendors: ['alpha'], untried: 'alpha did not answer: the key is kept untried' }],
  )
  assert.deepEqual(await kept(), ['alpha'])
})

test('without try no vendor is asked (ST-072)', async () => {
  const { bring } = await newOrg()
  fake.mode = 'hang'
  const { status, body } = await bring({})
  assert.deepEqual([status, body], [200, { vendors: ['alpha'] }])
  assert.deepEqual(asked(), [])
})

test('an org tries twenty keys a minute', async () => {
  const { bring } = await newOrg()
  for (let tries = 0; tries < 20; tries += 1) assert.equal((await bring({ try: true })).status, 200)
  const sentence = 'this org tried twenty provider keys in a minute: wait a little before the next'
  refused(await bring({ try: true }), 429, sentence)
  assert.equal((await bring({})).status, 200)
})
