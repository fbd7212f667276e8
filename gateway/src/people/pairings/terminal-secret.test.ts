import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { anonymous, sql } = deployment
const org = await deployment.newOrg()
const notTheTerminal =
  'only the terminal that began this sign-in collects its key: send its secret in svc-pairing-secret'

const begin = async () => {
  const secret = randomBytes(32).toString('base64url')
  const collect = createHash('sha256').update(secret).digest('hex')
  const { body } = await anonymous.post('/v1/login/pairings', { device: 'laptop', collect })
  const terminal = anonymous.with({ 'svc-pairing-secret': secret })
  return { code: body.code as string, secret, terminal, body }
}

test('a person who saw the word of a terminal with a secret does not collect its key', async () => {
  const ana = await org.person('developer')
  const { code, terminal } = await begin()
  const eve = anonymous.with({ 'svc-pairing-secret': randomBytes(32).toString('base64url') })
  const thieves = [anonymous, eve, anonymous.with({ 'svc-pairing-secret': '' }), anonymous.as(ana.key)]
  const collectBy = (who: typeof anonymous) => who.get(`/v1/login/pairings/${code}/key`)
  for (const thief of thieves) refused(await collectBy(thief), 403, notTheTerminal)
  assert.deepEqual([(await collectBy(terminal)).status, (await collectBy(terminal)).text], [202, '{}'])

  assert.equal((await ana.client.post(`/v1/login/pairings/${code}`, {})).status, 200)
  for (const thief of thieves) refused(await collectBy(thief), 403, notTheTerminal)
  const collected = await collectBy(terminal)
  assert.deepEqual([collected.status, collected.body.subject], [200, ana.id])
  refused(await collectBy(terminal), 404, 'that word is spent or was never made')
})

test('of a thief and the terminal that collect at the same time over two gateways only the terminal gets the key', async () => {
  const second = await deployment.another()
  const ana = await org.person('qa')
  const { code, secret } = await begin()
  await ana.client.post(`/v1/login/pairings/${code}`, {})
  const answers = await Promise.all(
    Array.from({ length: 20 }, async (_, n) => {
      const at = n % 4 < 2 ? anonymous : second.anonymous
      const isTerminal = n % 2 === 1
      const who = isTerminal ? at.with({ 'svc-pairing-secret': secret }) : at
      return { isTerminal, status: (await who.get(`/v1/login/pairings/${code}/key`)).status }
    }),
  )
  const of = (wanted: boolean) => answers.filter(({ isTerminal }) => isTerminal === wanted)
  assert.equal(of(true).filter(({ status }) => status === 200).length, 1)
  assert.equal(of(false).filter(({ status }) => status === 200).length, 0)
})

test('whether a terminal has a secret is read with its word; the secret is kept as a digest alone', async () => {
  const { code, secret, body } = await begin()
  assert.deepEqual(Object.keys(body), ['code', 'expires_at'])
  const read = (await anonymous.get(`/v1/login/pairings/${code}`)).body
  assert.deepEqual([read.device, read.answered, read.bound], ['laptop', false, true])
  const plain = (await anonymous.post('/v1/login/pairings', {})).body.code
  const keys = Object.keys((await anonymous.get(`/v1/login/pairings/${plain}`)).body)
  assert.deepEqual(keys, ['device', 'expires_at', 'answered'])
  const { rows } = await sql('select p::text as row from pairings p')
  assert.equal((JSON.stringify(rows) + deployment.log()).includes(secret), false)
})

test('a digest that is none is refused, and nothing waits', async () => {
  const sentence = "collect is the SHA-256 of the terminal's secret, as 64 hex digits"
  for (const collect of ['', 'abc', 'g'.repeat(64), 'a'.repeat(65)])
    refused(await anonymous.post('/v1/login/pairings', { collect }), 400, sentence)
  refused(await anonymous.post('/v1/login/pairings', { collect: null }), 422, 'collect: must be a string')
})
