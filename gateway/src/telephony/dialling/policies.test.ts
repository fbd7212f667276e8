import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { weekdays } from '@switchroom/contract/dialling'
import { refused } from '../../../testing/client.ts'
import { startDeployment, type TestOrg } from '../../../testing/deployment.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { longestCallS } from './effective-limits.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { operator } = deployment
const path = '/v1/org/policy'
const limitsOf = ({ slug }: Pick<TestOrg, 'slug'>) => `/v1/ops/orgs/${slug}/dialling`
const usual = {
  calling_hours: null,
  consent_everywhere: false,
  per_number_day: null,
  per_minute: 6,
  per_day: 200,
}
const usualLimits = { dial_anywhere: false, per_minute: 6, per_day: 200, max_duration_s: 600 }

async function newTenant() {
  const org = await deployment.newOrg()
  return { org, client: (await org.person('admin')).client }
}

test('an org sets hours and counts: named fields change, null restores the default, both environments have one (N-295, ND-55)', async () => {
  const { client } = await newTenant()
  assert.deepEqual(done(await client.get(path)), usual)
  const hours = { start: '09:00', end: '18:00', days: ['mon', 'fri'] }
  assert.deepEqual(done(await client.put(path, { calling_hours: hours, per_day: 50 })), {
    ...usual,
    calling_hours: hours,
    per_day: 50,
  })
  const changed = {
    calling_hours: hours,
    consent_everywhere: true,
    per_number_day: 100,
    per_minute: 1,
    per_day: 50,
  }
  assert.deepEqual(
    done(await client.put(path, { consent_everywhere: true, per_number_day: 100, per_minute: 1, other: 1 })),
    changed,
  )
  assert.deepEqual(done(await client.in('production').get(path)), changed)
  assert.deepEqual(done(await client.put(path, {})), changed)
  const none = Object.fromEntries(Object.keys(usual).map((field) => [field, null]))
  assert.deepEqual(done(await client.put(path, none)), usual)
})

test('hours end at 24:00 at the latest, and without days it is every day of the week (ND-55)', async () => {
  const { client } = await newTenant()
  const set = async (calling_hours: object) => done(await client.put(path, { calling_hours })).calling_hours
  assert.deepEqual(await set({ start: '00:00', end: '24:00' }), {
    start: '00:00',
    end: '24:00',
    days: [...weekdays],
  })
  const days = ['sun', 'mon', 'sun']
  assert.deepEqual(await set({ start: '23:58', end: '23:59', days }), {
    start: '23:58',
    end: '23:59',
    days: ['mon', 'sun'],
  })
})

test('a policy that is none is 422, and the old one is kept (ND-55)', async () => {
  const { client } = await newTenant()
  const hours = (calling_hours: object) => ({ calling_hours })
  const start = 'calling_hours.start: must be a time from 00:00 to 23:59'
  const end = 'calling_hours.end: must be a time from 00:00 to 24:00'
  const days = 'calling_hours.days: must be some of mon, tue, wed, thu, fri, sat, sun'
  const order = 'calling_hours: must start before it ends'
  const table: [object, string][] = [
    [hours({ start: '9:00', end: '18:00' }), start],
    [hours({ start: '24:00', end: '24:00' }), start],
    [hours({ start: '09:60', end: '18:00' }), start],
    [hours({ start: '09:00', end: '24:01' }), end],
    [hours({ start: '09:00', end: '25:00' }), end],
    [hours({ start: '09:00', end: '' }), end],
    [hours({ start: '18:00', end: '09:00' }), order],
    [hours({ start: '09:00', end: '09:00' }), order],
    [hours({ start: '09:00', end: '18:00', days: [] }), days],
    [hours({ start: '09:00', end: '18:00', days: ['monday'] }), days],
    [hours({ start: '09:00' }), 'calling_hours.end: is required'],
    [hours({ start: '09:00', end: 18 }), 'calling_hours.end: must be a string'],
    [{ calling_hours: '09:00' }, 'calling_hours: must be an object or null'],
    [{ consent_everywhere: 'yes' }, 'consent_everywhere: must be true or false or null'],
    [{ per_number_day: 0 }, 'per_number_day: must be null or a whole number from 1 to 100'],
    [{ per_number_day: 101 }, 'per_number_day: must be null or a whole number from 1 to 100'],
    [{ per_number_day: 1.5 }, 'per_number_day: must be a whole number or null'],
    [{ per_minute: 0 }, 'per_minute: must be null or a whole number from 1 to 6'],
    [{ per_minute: 7 }, 'per_minute: must be null or a whole number from 1 to 6'],
    [{ per_day: 201 }, 'per_day: must be null or a whole number from 1 to 200'],
    [{ per_day: -1 }, 'per_day: must be null or a whole number from 1 to 200'],
  ]
  for (const [policy, sentence] of table) refused(await client.put(path, policy), 422, sentence)
  assert.deepEqual(done(await client.get(path)), usual)
})

test('the operator holds an org’s dials: named fields change, null restores the default (ND-43)', async () => {
  const { org } = await newTenant()
  assert.deepEqual(done(await operator.get(limitsOf(org))), usualLimits)
  assert.deepEqual(done(await operator.put(limitsOf(org), { dial_anywhere: true, per_day: 1000 })), {
    ...usualLimits,
    dial_anywhere: true,
    per_day: 1000,
  })
  const whole = { dial_anywhere: true, per_minute: 60, per_day: 0, max_duration_s: 1200 }
  assert.deepEqual(
    done(await operator.put(limitsOf(org), { per_minute: 60, per_day: 0, max_duration_s: 1200 })),
    whole,
  )
  assert.deepEqual(done(await operator.get(limitsOf({ slug: org.id }))), whole)
  const none = Object.fromEntries(Object.keys(usualLimits).map((field) => [field, null]))
  assert.deepEqual(done(await operator.put(limitsOf(org), none)), usualLimits)
})

test('limits that are none are refused (ND-43, ND-01)', async () => {
  const { org } = await newTenant()
  const table: [object, number, string][] = [
    [{ per_minute: -1 }, 400, 'per_minute: must be null or a whole number from 0 to 1000000'],
    [{ per_day: 1_000_001 }, 400, 'per_day: must be null or a whole number from 0 to 1000000'],
    [{ max_duration_s: 0 }, 400, 'max_duration_s: must be null or a whole number from 1 to 86400'],
    [{ max_duration_s: 86_401 }, 400, 'max_duration_s: must be null or a whole number from 1 to 86400'],
    [{ dial_anywhere: 'yes' }, 422, 'dial_anywhere: must be true or false or null'],
    [{ per_minute: 1.5 }, 422, 'per_minute: must be a whole number or null'],
  ]
  for (const [limits, status, sentence] of table)
    refused(await operator.put(limitsOf(org), limits), status, sentence)
  refused(await operator.put('/v1/ops/orgs/nosuch/dialling', {}), 404, 'there is no org nosuch')
  refused(await operator.get('/v1/ops/orgs/nosuch/dialling'), 404, 'there is no org nosuch')
  assert.deepEqual(done(await operator.get(limitsOf(org))), usualLimits)
})

test('an org may slow itself up to what the operator allows, and never hurry (ND-55)', async () => {
  const { org, client } = await newTenant()
  done(await operator.put(limitsOf(org), { per_minute: 20, per_day: 500 }))
  assert.deepEqual(done(await client.get(path)), { ...usual, per_minute: 20, per_day: 500 })
  done(await client.put(path, { per_minute: 20, per_day: 400 }))
  refused(
    await client.put(path, { per_minute: 21 }),
    422,
    'per_minute: must be null or a whole number from 1 to 20',
  )
  done(await operator.put(limitsOf(org), { per_minute: 3 }))
  assert.deepEqual(done(await client.get(path)), { ...usual, per_minute: 3, per_day: 400 })
  done(await operator.put(limitsOf(org), { per_minute: null }))
  assert.deepEqual(done(await client.get(path)).per_minute, 6)
})

test('of changes at the same time none loses what another named (ND-55, ND-43)', async () => {
  const { org, client } = await newTenant()
  await Promise.all([
    client.put(path, { per_number_day: 9 }),
    client.put(path, { consent_everywhere: true }),
    client.put(path, { per_minute: 2 }),
    client.put(path, { per_day: 3 }),
    operator.put(limitsOf(org), { dial_anywhere: true }),
    operator.put(limitsOf(org), { max_duration_s: 60 }),
  ])
  assert.deepEqual(done(await client.get(path)), {
    calling_hours: null,
    consent_everywhere: true,
    per_number_day: 9,
    per_minute: 2,
    per_day: 3,
  })
  assert.deepEqual(done(await operator.get(limitsOf(org))), {
    ...usualLimits,
    dial_anywhere: true,
    max_duration_s: 60,
  })
})

test('the policy is for keys that open numbers (ND-07)', async () => {
  const { org } = await newTenant()
  const { client } = await org.serverToken('production')
  refused(await client.get(path), 403, /^this key does not open numbers: it opens /)
  refused(await client.put(path, {}), 403, /^this key does not open numbers: it opens /)
})

test('a placed call runs 600 seconds at most: an agent’s 0 lifts nothing, its 120 is 120 (T-26, ND-60)', () => {
  assert.deepEqual(
    [undefined, 0, 120, 600, 3600].map((own) => longestCallS(usualLimits, own)),
    [600, 600, 120, 600, 600],
  )
  assert.equal(longestCallS({ max_duration_s: 60 }, 120), 60)
})
