import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { guardNames, weekdays } from '@switchroom/contract/dialling'
import { refused } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { DialOrg, newCalled } from '../../../testing/telephony/dial-fixture.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { hourMs } from '../../foundation/clock.ts'
import { Refusal } from '../../foundation/refusals.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { clock } = deployment
const newYork = '+12125550123'
const path = (to: string, from?: string) =>
  `/v1/agents/desk/dial/explain?to=${encodeURIComponent(to)}${from === undefined ? '' : `&from=${encodeURIComponent(from)}`}`
const explain = async (dialOrg: DialOrg, to: string, from?: string) =>
  done(await dialOrg.client.get(path(to, from)))

test('a dial is explained guard by guard with what each saw, and nothing is counted (ND-47)', async () => {
  const dialOrg = await DialOrg.open(deployment)
  await dialOrg.known(newYork)
  await dialOrg.consented(newYork)
  await dialOrg.rows(2, 0)
  await dialOrg.rows(1, hourMs, { to: newYork })
  const explained = await explain(dialOrg, newYork)
  const { rows: facts } = done(await dialOrg.client.get(`/v1/org/consents/${newYork}`))
  const [{ id, by, at }] = facts
  const fact = { id, kind: 'express', source: 'form', by, call: null, at }
  const seen = Object.fromEntries(
    explained.guards.map((one: { guard: string; saw: object }) => [one.guard, one.saw]),
  )
  assert.deepEqual(Object.keys(seen), guardNames)
  const [zone] = seen.hours.zones
  assert.match(zone.local, /^(mon|tue|wed|thu|fri|sat|sun) \d\d:\d\d$/)
  assert.deepEqual(seen, {
    shape: { calling_code: '1', national_digits: 10 },
    from: { from: dialOrg.from, numbers: [{ number: dialOrg.from, account: 'peer', why_not: null }] },
    holder: { held: true },
    stranger: { known: true, dial_anywhere: false },
    list: { standing: 'consented', fact },
    consent: { standing: 'consented', fact, needed: true, sent: false },
    hours: {
      hours: { start: '08:00', end: '21:00', days: [...weekdays] },
      zones: [{ zone: 'America/New_York', local: zone.local, inside: zone.inside }],
    },
    per_minute: { used: 2, most: 6, left: 4 },
    per_day: { used: 3, most: 200, left: 197 },
    per_number_day: { used: 1, most: 3, left: 2 },
  })
  assert.equal((await dialOrg.ledger()).length, 3)
})

test('a refusal is explained with the answer a dial gets, and is no refusal itself (ND-47)', async () => {
  const dialOrg = await DialOrg.open(deployment)
  const to = await dialOrg.knownNumber()
  const { id: optedOut } = done(await dialOrg.client.delete(`/v1/org/consents/${to}`)).rows[0]
  for (const [asked, from] of [
    ['+8811234567'],
    ['no number'],
    [newCalled()],
    [to],
    [to, '+34910000009'],
    [await dialOrg.knownNumber()],
  ] as const) {
    const explained = await explain(dialOrg, asked, from)
    const answer = await dialOrg.dial(asked, from === undefined ? {} : { from })
    const refusal = answer instanceof Refusal ? answer : undefined
    const [row] = await dialOrg.ledger()
    assert.deepEqual(
      [explained.would, explained.status, explained.reason, explained.detail, explained.from],
      [refusal ? 'refuse' : 'pass', refusal?.status ?? 202, row?.reason, refusal?.message ?? null, row?.from],
      asked,
    )
    assert.deepEqual([explained.to, explained.agent, explained.env], [asked, 'desk', 'production'])
    assert.ok(Math.abs(explained.at - clock.now().getTime() / 1000) < 30)
  }
  const list = (await explain(dialOrg, to)).guards.find(({ guard }: { guard: string }) => guard === 'list')
  assert.deepEqual([list.verdict, list.saw.standing, list.saw.fact.id], ['refuse', 'opted_out', optedOut])
})

test('what the sandbox is free of is shown as exempt (ND-54)', async () => {
  const dialOrg = await DialOrg.open(deployment, 'sandbox')
  await dialOrg.known(newYork)
  done(await dialOrg.client.delete(`/v1/org/consents/${newYork}`))
  const explained = await explain(dialOrg, newYork)
  assert.deepEqual([explained.would, explained.status], ['pass', 202])
  const exempt = explained.guards.filter(({ verdict }: { verdict: string }) => verdict === 'exempt')
  assert.deepEqual(
    exempt
      .filter(({ guard }: { guard: string }) => guard !== 'hours') // by the hour the test runs at
      .map(({ guard, exempt_by }: { guard: string; exempt_by: string }) => [guard, exempt_by]),
    [
      ['list', 'sandbox'],
      ['consent', 'sandbox'],
    ],
  )
})

test('the plus sign of a query may come as it is (ND-05, T-19)', async () => {
  const dialOrg = await DialOrg.open(deployment)
  const to = await dialOrg.knownNumber()
  const raw = done(await dialOrg.client.get(`/v1/agents/desk/dial/explain?to=${to}&from=${dialOrg.from}`))
  assert.deepEqual([raw.to, raw.from, raw.would], [to, dialOrg.from, 'pass'])
})

test('explaining waits for no dial that holds the org (N-296)', async () => {
  const dialOrg = await DialOrg.open(deployment)
  const to = await dialOrg.knownNumber()
  const holder = await deployment.gateway.services.database.pool.connect()
  try {
    await holder.query('begin')
    await holder.query('select from orgs where id = $1 for update', [dialOrg.org.id])
    assert.equal((await explain(dialOrg, to)).would, 'pass')
  } finally {
    await holder.query('rollback')
    holder.release()
  }
})

test('a key that may dial may ask, for the agents they work on and of the org they are in (ND-07)', async () => {
  const dialOrg = await DialOrg.open(deployment)
  const to = await dialOrg.knownNumber()
  const narrowed = await dialOrg.org.person('developer', { agents: ['sales'], production: true })
  refused(await narrowed.client.in('production').get(path(to)), 403, 'this key works on sales alone')
  const { client: calls } = await dialOrg.org.serverToken('production', { scopes: ['calls'] })
  refused(await calls.get(path(to)), 403, 'this key does not open talk: it opens calls')
  refused(await dialOrg.client.get('/v1/agents/desk/dial/explain'), 422, 'to: is required')
  const stranger = await DialOrg.open(deployment)
  assert.deepEqual((await explain(stranger, to)).reason, 'stranger')
  assert.equal((await dialOrg.client.get(`/v1/agents/No%20Slug/dial/explain?to=${to}`)).status, 404)
})
