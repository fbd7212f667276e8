import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { newLine, NumberFixture } from '../../../testing/telephony/number-fixture.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import type { Client } from '../../../testing/client.ts'

const fixture = await NumberFixture.start()
after(() => fixture[Symbol.asyncDispose]())
const { carrier } = fixture

const at = '/v1/carrier/outbound'
const readiness = async (client: Client, env: 'sandbox' | 'production' = 'sandbox') =>
  done(await client.in(env).get(at))

const guards = {
  per_minute: 6,
  per_day: 200,
  per_number_day: null,
  calling_hours: null,
  consent_everywhere: false,
  dial_anywhere: false,
  max_duration_s: 600,
}
const noNumber = (env = 'sandbox') =>
  `no number of an account is imported in ${env}: import one with POST /v1/numbers`

test('each missing thing is a sentence, and a provisioned account with a number is ready, in its own environment (N-106, N-216, N-217, N-218, N-219, ND-45)', async () => {
  const org = await fixture.newOrg()
  const { admin } = org
  assert.deepEqual(await readiness(admin), {
    ready: false,
    kind: null,
    from_numbers: [],
    steps_missing: ['the org has no carrier account: add one with PUT /v1/carrier', noNumber()],
    guards,
  })
  const number = newLine()
  const account = await org.account(number)
  const missing = `${account.sid} is not provisioned: call POST /v1/carrier/outbound?account=${account.sid}`
  assert.deepEqual(await readiness(admin), {
    ready: false,
    kind: 'apicarrier',
    from_numbers: [],
    steps_missing: [noNumber(), missing],
    guards,
  })
  await org.imported({ number })
  assert.deepEqual(await readiness(admin), {
    ready: false,
    kind: 'apicarrier',
    from_numbers: [number],
    steps_missing: [missing],
    guards,
  })
  done(await admin.post(at))
  const asked = carrier.requests.length
  assert.deepEqual(await readiness(admin), {
    ready: true,
    kind: 'apicarrier',
    from_numbers: [number],
    steps_missing: [],
    guards,
  })
  assert.deepEqual((await readiness(admin, 'production')).steps_missing, [noNumber('production')])
  assert.equal(carrier.requests.length, asked)
})

test('a SIP peer without a host lacks it, and its numbers come oldest first (N-218, ND-18, ND-45)', async () => {
  const org = await fixture.newOrg()
  await org.peer('acme', '8.8.8.8')
  const numbers = [newLine(), newLine()].toReversed()
  for (const number of numbers) await org.imported({ number })
  assert.deepEqual(await readiness(org.admin), {
    ready: false,
    kind: 'sip',
    from_numbers: numbers,
    steps_missing: ['acme has no outbound_host: say it with PUT /v1/carrier'],
    guards,
  })
  done(
    await org.admin.put('/v1/carrier', {
      username: 'acme',
      password: 'word of acme',
      outbound_host: 'sip.acme.example',
    }),
  )
  const { ready, steps_missing } = await readiness(org.admin)
  assert.deepEqual([ready, steps_missing], [true, []])
})

test('numbers that live in no account of the org are none to dial from (N-216, ND-14, ND-45)', async () => {
  const org = await fixture.newOrg()
  await org.peer('acme', '8.8.8.8')
  const [peers, hooked] = [newLine(), newLine()]
  await org.imported({ number: hooked, hooked: true })
  await org.imported({ number: peers })
  done(
    await org.admin.put('/v1/carrier', {
      username: 'acme',
      password: 'word of acme',
      outbound_host: 'sip.acme.example',
    }),
  )
  assert.deepEqual((await readiness(org.admin)).from_numbers, [peers])
  assert.equal((await org.admin.delete('/v1/carrier')).status, 204)
  assert.deepEqual(await readiness(org.admin), {
    ready: false,
    kind: null,
    from_numbers: [],
    steps_missing: ['the org has no carrier account: add one with PUT /v1/carrier', noNumber()],
    guards,
  })
})

test('the guards are those in force for the org (N-219, ND-45)', async () => {
  const org = await fixture.newOrg()
  const hours = { start: '09:00', end: '18:00', days: ['mon', 'tue'] }
  done(await org.admin.put('/v1/org/policy', { per_number_day: 2, calling_hours: hours, per_minute: 3 }))
  const limits = { dial_anywhere: true, per_day: 50, max_duration_s: 300 }
  done(await fixture.deployment.operator.put(`/v1/ops/orgs/${org.id}/dialling`, limits))
  assert.deepEqual((await readiness(org.admin)).guards, {
    ...guards,
    ...limits,
    per_number_day: 2,
    calling_hours: hours,
    per_minute: 3,
  })
})
