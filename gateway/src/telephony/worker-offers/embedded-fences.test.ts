import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { EmbeddedPlane } from '@switchroom/media/embedded'
import { LiveKitFake } from '@switchroom/media/testing/livekit-fake'
import { refused } from '../../../testing/client.ts'
import { fleetKey, startDeployment } from '../../../testing/deployment.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { until } from '../../../testing/until.ts'
import { secondMs } from '../../foundation/clock.ts'

// Its gateways look after the numbers of a LiveKit server, and so take away no fence that no number asks for.
const fake = await LiveKitFake.start()
const { url, key, secret } = fake.address
const deployment = await startDeployment({ SVC_MEDIA_URL: url, SVC_MEDIA_KEY: key, SVC_MEDIA_SECRET: secret })
after(async () => {
  await deployment[Symbol.asyncDispose]()
  await fake.stop()
})
const other = await deployment.another()
const { sql } = deployment
const { embeddedFences: keeper, placementOffers } = deployment.gateway.services
const plane = new EmbeddedPlane(keeper, placementOffers)
const fleet = deployment.anonymous.as(fleetKey)
const pair = { username: 'peer', password: 'a-word-of-the-peer-4711' }

const admit = (numbers: string[], env: 'production' | 'sandbox' = 'sandbox') =>
  plane.admit({
    org: 'org_1',
    env,
    fleet: `fleet-of-${env}`,
    fences: numbers.length
      ? [{ name: `org_1/${env}/sip/peer`, networks: ['203.0.113.7/32'], numbers, pair }]
      : [],
  })
const ask = async (env: string, more = '') => done(await fleet.get(`/v1/worker/fences?env=${env}${more}`))

test('a worker reads which callers its environment lets in, with the pair that a peer proves itself with', async () => {
  assert.deepEqual((await ask('sandbox')).fences, [])
  await admit(['+15550000001'])
  await admit(['+15550000009'], 'production')
  const { version, fences } = await ask('sandbox')
  assert.deepEqual(fences, [
    {
      name: 'org_1/sandbox/sip/peer',
      networks: ['203.0.113.7/32'],
      numbers: ['+15550000001'],
      pair,
      fleet: 'fleet-of-sandbox',
    },
  ])
  assert.match(version, /^[\w-]{43}$/)
  assert.equal((await ask('sandbox')).version, version)
})

test('a worker that knows a version is answered when there is another, on any gateway', async () => {
  const { version } = await ask('sandbox')
  const waiting = other.anonymous.as(fleetKey).get(`/v1/worker/fences?env=sandbox&after=${version}`)
  let isAnswered = false
  void waiting.then(() => (isAnswered = true))
  await admit(['+15550000008'], 'production') // which is nothing to the sandbox
  assert.equal(isAnswered, false)
  await admit(['+15550000001', '+15550000002'])
  const changed = done(await waiting)
  assert.notEqual(changed.version, version)
  assert.deepEqual(changed.fences[0].numbers, ['+15550000001', '+15550000002'])
  assert.deepEqual(await ask('sandbox', `&after=${version}`), changed)
})

test('a worker that knows the version is answered after 25 seconds all the same', async () => {
  const { version } = await ask('sandbox')
  let answered: { version: string } | undefined
  void ask('sandbox', `&after=${version}`).then((answer) => (answered = answer))
  await until('it is answered', () => {
    deployment.clock.forward(secondMs)
    return answered
  })
  assert.equal(answered?.version, version)
})

test("fences are for the fleet's key and name an environment (ND-62)", async () => {
  const org = await deployment.newOrg()
  const { client } = await org.serverToken('sandbox')
  const answer = await client.get('/v1/worker/fences?env=sandbox')
  assert.equal(answer.status, 403, answer.text)
  refused(await fleet.get('/v1/worker/fences'), 422, /env/)
  refused(
    await fleet.get('/v1/worker/fences?env=moon'),
    400,
    'env: must be equal to one of the allowed values',
  )
})

test('the pair of a peer is kept sealed and never logged', async () => {
  const { rows } = await sql(`select encode(pair, 'escape') as pair from fences`)
  assert.ok(rows.length > 0 && rows.every((row) => row.pair !== null && !row.pair.includes(pair.password)))
  for (const { log } of [deployment, other]) assert.ok(!log().includes(pair.password))
})
