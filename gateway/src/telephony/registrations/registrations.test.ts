import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { fleetKey, startDeployment } from '../../../testing/deployment.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { secondMs } from '../../foundation/clock.ts'

const deployment = await startDeployment({ SVC_DOMAIN: 'voice.example' })
after(() => deployment[Symbol.asyncDispose]())
const { clock } = deployment
const fleet = deployment.anonymous.as(fleetKey)

const peer = {
  username: 'acme',
  password: 'a password of the peer',
  addresses: ['8.8.8.8'],
  outbound_host: 'sip.peer.example',
  auth: 'ip',
  register: true,
}

let last = 0
const newNumber = () => `+4420794601${String((last += 1)).padStart(2, '0')}`

async function newOrg() {
  const org = await deployment.newOrg()
  const { client } = await org.person('admin')
  const put = (body: object) => client.put('/v1/carrier', body)
  const id = `${org.id}/acme`
  return {
    org,
    client,
    put,
    id,
    shown: async () => done(await client.get('/v1/carrier')).sip.registration,
    /** What a worker has of this org's after it said this. */
    tell: async (worker: string, told: object[] = [], more: object = {}) => {
      const body = { worker, env: 'sandbox', registrations: told, ...more }
      const { registrations } = done(await fleet.post('/v1/worker/registrations', body))
      return registrations.filter((one: { id: string }) => one.id === id)
    },
    importNumber: async () =>
      done(await client.post('/v1/numbers', { number: newNumber(), agent: 'desk', account: 'acme' })),
  }
}

test('an account registers from its first number on, with the trunk that it dials through', async () => {
  const { org, id, put, shown, tell, importNumber } = await newOrg()
  assert.equal(done(await put(peer)).sip.register, true)
  assert.deepEqual(await tell('one'), [])
  assert.deepEqual(await shown(), {
    state: 'waiting',
    until: null,
    says: 'import a number of the account: it registers with the first one',
  })
  await importNumber()
  assert.deepEqual(await shown(), { state: 'waiting', until: null, says: 'no worker has taken it yet' })
  assert.deepEqual(await tell('one', [], { env: 'production' }), [])
  assert.deepEqual(await tell('one'), [
    {
      id,
      fence: `${org.id}/sandbox/sip/acme`,
      username: 'acme',
      trunk: {
        hostname: 'sip.peer.example',
        transport: 'udp',
        auth_username: 'acme',
        auth_password: peer.password,
      },
    },
  ])
})

test('one worker at a time keeps an account registered, and another takes it over when the lease is over', async () => {
  const { id, put, shown, tell, importNumber } = await newOrg()
  done(await put(peer))
  await importNumber()
  const both = await Promise.all([tell('one'), tell('two')])
  assert.deepEqual(
    both.map((held) => held.length).toSorted((some, other) => some - other),
    [0, 1],
  )
  const [first, second] = both[0].length === 1 ? ['one', 'two'] : ['two', 'one']
  await tell(first, [{ id, state: 'registered', for_s: 300 }])
  const { state, until } = await shown()
  assert.equal(state, 'registered')
  assert.ok(Math.abs(until - clock.now().getTime() / secondMs - 300) < 5)
  clock.forward(20 * secondMs)
  assert.equal((await tell(first)).length, 1)
  clock.forward(20 * secondMs)
  assert.deepEqual(await tell(second, [{ id, state: 'refused', says: 'not mine to say' }]), [])
  assert.equal((await shown()).state, 'registered')
  clock.forward(11 * secondMs)
  assert.equal((await tell(second)).length, 1)
  assert.deepEqual(await shown(), { state: 'trying', until: null, says: null })
  assert.deepEqual(await tell(first, [{ id, state: 'registered', for_s: 300 }]), [])
  const says = 'the registrar answered 403 Forbidden: check the username and the password'
  await tell(second, [{ id, state: 'refused', says }])
  assert.deepEqual(await shown(), { state: 'refused', until: null, says })
})

test('a worker that drains gives back what it has, and an account that no longer registers is taken away', async () => {
  const { put, shown, tell, importNumber } = await newOrg()
  done(await put(peer))
  await importNumber()
  assert.equal((await tell('one')).length, 1)
  assert.deepEqual(await tell('one', [], { draining: true }), [])
  assert.equal((await tell('two')).length, 1)
  done(await put({ username: 'acme', register: false }))
  assert.deepEqual(await tell('two'), [])
  assert.equal(await shown(), null)
  done(await put({ username: 'acme', register: true }))
  assert.equal((await tell('two')).length, 1)
})

test('what registers needs a registrar, a password, and calls that are proven by their network', async () => {
  const { put, client } = await newOrg()
  refused(
    await put({ ...peer, auth: 'digest' }),
    400,
    'register: calls of a registrar prove no password: send auth ip too',
  )
  refused(
    await put({ ...peer, outbound_host: undefined }),
    400,
    'register: needs outbound_host, which is the registrar',
  )
  refused(
    await put({ ...peer, password: undefined }),
    400,
    'register: needs the password that the registrar asks for',
  )
  const body = { worker: 'one', env: 'sandbox', registrations: [] }
  assert.equal((await client.post('/v1/worker/registrations', body)).status, 403)
})
