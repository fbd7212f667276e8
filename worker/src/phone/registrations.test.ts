import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import type { HeldRegistrations, TellRegistrations } from '@switchroom/contract/media-plane'
import { header, isRequest } from '@switchroom/media/sip/message'
import { SipTest } from '@switchroom/media/testing/sip-call'
import { trunkTo, until } from '@switchroom/media/testing/sip-peer'
import { PrivateNetworks } from '@switchroom/process/private-networks'
import { pino } from 'pino'
import { DialledAddresses } from './dialled-addresses.ts'
import { Registrations } from './registrations.ts'

const run = new SipTest()
afterEach(() => run.stop())

type Told = Omit<TellRegistrations, 'worker'>

/** A worker's registrations, a registrar that takes every one, and a gateway that leases what a test says. */
async function registering() {
  const { server } = await run.server()
  const registrar = await run.peer(server)
  registrar.socket.on('message', () => {
    const last = registrar.received.at(-1)
    if (last && isRequest(last)) registrar.answer(last, '200 OK', { headers: ['Expires: 600'] })
  })
  const told: Told[] = []
  const wanted = {
    id: 'org_1/acme',
    fence: 'org_1/sandbox/sip/acme',
    username: 'acme',
    trunk: trunkTo(registrar.port),
  }
  let answer: HeldRegistrations = { lease_s: 30, registrations: [wanted] }
  const gateway = {
    tellRegistrations: async (said: Told) => {
      told.push(said)
      return answer
    },
  }
  let isDraining = false
  const admitted: [string, readonly string[]][] = []
  const registrations = new Registrations({
    gateway,
    environments: ['sandbox'],
    sip: server,
    addresses: new DialledAddresses([], new PrivateNetworks([])),
    fences: { admit: (name, addresses) => void admitted.push([name, addresses]) },
    isDraining: () => isDraining,
    logger: pino({ level: 'silent' }),
  })
  const expires = () => registrar.received.filter(isRequest).map((request) => header(request, 'expires'))
  return {
    registrations,
    told,
    admitted,
    expires,
    lease: (next: Partial<HeldRegistrations>) => (answer = { ...answer, ...next }),
    drain: () => (isDraining = true),
  }
}

const [fence, here] = ['org_1/sandbox/sip/acme', ['127.0.0.1']]

test('what is leased is registered and reported, its registrar may call, and it is taken back when it is not wanted', async () => {
  const { registrations, told, admitted, expires, lease } = await registering()
  await registrations.report()
  await until(() => admitted.some(([, addresses]) => addresses.length > 0))
  assert.deepEqual(admitted.at(-1), [fence, here])
  await registrations.report()
  const [state] = told.at(-1)?.registrations ?? []
  assert.equal(state?.state, 'registered')
  assert.ok((state?.for_s ?? 0) > 500)
  lease({ registrations: [] })
  await registrations.report()
  await until(() => expires().includes('0'))
  assert.deepEqual(admitted.at(-1), [fence, []])
  await registrations.report()
  assert.deepEqual(told.at(-1)?.registrations, [])
  await registrations.stop()
})

test('a lease that is not renewed ends on this side first', async () => {
  const { registrations, admitted, expires, lease } = await registering()
  await registrations.report()
  await until(() => admitted.some(([, addresses]) => addresses.length > 0))
  lease({ lease_s: 5 }) // as long as the margin before another worker may register
  await registrations.report()
  await until(() => expires().includes('0'))
  assert.deepEqual(admitted.at(-1), [fence, []])
  await registrations.stop()
})

test('a worker that drains takes its registrations back before it says so', async () => {
  const { registrations, admitted, expires, told, drain } = await registering()
  await registrations.report()
  await until(() => admitted.some(([, addresses]) => addresses.length > 0))
  drain()
  await registrations.report()
  assert.ok(expires().includes('0'))
  assert.deepEqual(told.at(-1), { env: 'sandbox', draining: true, registrations: [] })
  await registrations.stop()
})
