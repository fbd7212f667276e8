import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import {
  at,
  consent,
  express,
  factsOf,
  listed,
  newNumber,
  newOrgClient,
  numbersOf,
  optOut,
  read,
} from '../../../testing/telephony/consent-fixture.ts'
import { until } from '../../../testing/until.ts'
import { recordConsent, standingOf } from './consent-facts.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { sql, clock } = deployment
const { database } = deployment.gateway.services

const isNow = (seconds: number) => Math.abs(seconds - clock.now().getTime() / 1000) < 30

test('a consent is written with its kind, source, words and evidence, and answered with the standing (N-041, N-298, N-299, N-300, N-301, ND-65)', async () => {
  const { org } = await newOrgClient(deployment)
  const ana = await org.person('supervisor')
  const number = newNumber()
  const given = { kind: 'written', source: 'signed form', text: 'Yes, call me.', evidence: { page: 7 } }
  const answer = await consent(ana.client, number, given)
  const { id, at: instant, ...row } = answer.rows[0]
  assert.match(id, /^cns_[0-9a-f]{24}$/)
  assert.ok(isNow(instant))
  assert.deepEqual(row, { number, fact: 'consent', ...given, by: ana.id, call: null })
  assert.deepEqual([answer.number, answer.standing, answer.rows.length], [number, 'consented', 1])
  assert.deepEqual(await read(ana.client, number), answer)
})

test('a missing field of a consent is null, and its evidence may be text (ND-65)', async () => {
  const { client } = await newOrgClient(deployment)
  const number = newNumber()
  const bare = (await consent(client, number)).rows[0]
  assert.deepEqual([bare.text, bare.evidence, bare.call, bare.by], [null, null, null, 'ci'])
  const [told] = (await consent(client, number, { evidence: 'tape 12' })).rows
  assert.equal(told.evidence, 'tape 12')
})

test('an opt-out says who made it and keeps what was said before (N-043, N-303, N-304, ND-03, ND-65)', async () => {
  const { org, client } = await newOrgClient(deployment)
  const ana = await org.person('supervisor')
  const number = newNumber()
  const before = await consent(client, number)
  const answer = await optOut(ana.client, number)
  const { id, at: instant, ...row } = answer.rows[0]
  assert.ok(id !== before.rows[0].id && isNow(instant))
  const unused = { kind: null, source: null, text: null, evidence: null, call: null }
  assert.deepEqual(row, { number, fact: 'opt_out', ...unused, by: ana.id })
  assert.equal(answer.standing, 'opted_out')
  assert.deepEqual(answer.rows[1], before.rows[0])
  assert.deepEqual(numbersOf(await listed(client)), [number])
})

test('the newest fact decides the standing, and a number without facts is unknown (N-045, N-046, N-103, ND-65)', async () => {
  const { org, client } = await newOrgClient(deployment)
  const number = newNumber()
  const standing = () => standingOf(database, org.id, number)
  assert.deepEqual(await read(client, number), { number, standing: 'unknown', rows: [] })
  assert.equal(await standing(), 'unknown')
  await consent(client, number)
  assert.deepEqual([(await read(client, number)).standing, await standing()], ['consented', 'consented'])
  await optOut(client, number)
  assert.deepEqual([(await read(client, number)).standing, await standing()], ['opted_out', 'opted_out'])
  await consent(client, number)
  assert.deepEqual([(await read(client, number)).standing, await standing()], ['consented', 'consented'])
})

test('every fact is kept as it was written, newest first (N-040, N-104, N-302)', async () => {
  const { client } = await newOrgClient(deployment)
  const number = newNumber()
  await consent(client, number, { text: 'one' })
  await optOut(client, number)
  const early = await read(client, number)
  await consent(client, number, { text: 'two' })
  await optOut(client, number)
  const late = await read(client, number)
  assert.deepEqual(factsOf(late), ['opt_out', 'consent', 'opt_out', 'consent'])
  assert.equal(JSON.stringify(late.rows.slice(2)), JSON.stringify(early.rows))
  for (const change of [`update consents set words = 'other'`, 'delete from consents'])
    await assert.rejects(
      sql(`${change} where number = $1`, [number]),
      /consents keeps what it holds: rows are added, never changed or deleted/,
    )
})

test('a number is on the list while its newest fact is an opt-out: in, out, in (T-106, N-305)', async () => {
  const { client } = await newOrgClient(deployment)
  const number = newNumber()
  const isListed = async () => numbersOf(await listed(client)).includes(number)
  const seen = [await isListed()]
  for (const step of [optOut, consent, optOut]) {
    await step(client, number)
    seen.push(await isListed())
  }
  assert.deepEqual(seen, [false, true, false, true])
})

test('newest is the order of writing and not what the clock says (T-08, ND-65)', async () => {
  const { org, client } = await newOrgClient(deployment)
  for (const [first, second, standing] of [
    [consent, optOut, 'opted_out'],
    [optOut, consent, 'consented'],
  ] as const) {
    const number = newNumber()
    await first(client, number)
    clock.forward(-3_600_000)
    await second(client, number).finally(() => clock.forward(3_600_000))
    const { rows, ...shown } = await read(client, number)
    assert.ok(rows[0].at < rows[1].at)
    assert.equal(shown.standing, standing)
    assert.equal(await standingOf(database, org.id, number), standing)
  }
})

test('of facts that come at the same time the last written decides, in the list and in the history alike (T-08)', async () => {
  const { org, client } = await newOrgClient(deployment)
  const other = (await deployment.another()).anonymous
  const { key } = await org.serverToken('sandbox')
  const gateways = [client, other.as(key)]
  const number = newNumber()
  const many = Array.from({ length: 30 }, (_, n) => (n % 2 === 0 ? consent : optOut))
  await Promise.all(many.map((step, n) => step(gateways[n % 3 === 0 ? 1 : 0] ?? client, number)))
  const { standing, rows } = await read(client, number)
  assert.equal(rows.length, 30)
  assert.equal(standing, rows[0].fact === 'opt_out' ? 'opted_out' : 'consented')
  assert.equal(await standingOf(database, org.id, number), standing)
  assert.equal(numbersOf(await listed(client)).includes(number), standing === 'opted_out')
})

test('a fact that waited while another was written is the newer, whenever it was asked for (T-08)', async () => {
  const { org, client } = await newOrgClient(deployment)
  const number = newNumber()
  await consent(client, number)
  const asked: Promise<{ standing: string }>[] = []
  await database.transaction(async (tx) => {
    const held = { name: 'hold-standing', text: 'select from consent_standings where number = $1 for update' }
    await tx.rows(held, number)
    asked.push(optOut(client, number))
    const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await until('the opt-out waits', async () => (await sql(waits)).rowCount === 1)
    await recordConsent(tx, { org: org.id, number, ...express, kind: 'express', by: 'ci', at: clock.now() })
  })
  assert.equal((await asked[0])?.standing, 'opted_out')
  assert.deepEqual(factsOf(await read(client, number)), ['opt_out', 'consent', 'consent'])
  assert.equal(await standingOf(database, org.id, number), 'opted_out')
})

test('the words of a consent have their forms (N-042, ND-65, ND-01)', async () => {
  const { client } = await newOrgClient(deployment)
  const number = newNumber()
  const post = (more: object) => client.post('/v1/org/consents', { number, ...express, ...more })
  for (const kind of ['verbal', '', 'Express'])
    refused(await post({ kind }), 422, 'kind: must be one of express, written')
  refused(await post({ kind: 1 }), 422, 'kind: must be a string')
  refused(await post({ source: ' \t' }), 422, 'source: is blank')
  refused(await post({ source: undefined }), 422, 'source: is required')
  refused(await post({ source: 's'.repeat(501) }), 400, 'source: has more than 500 characters')
  refused(await post({ text: 't'.repeat(4001) }), 400, 'text: has more than 4000 characters')
  refused(await post({ evidence: 'e'.repeat(4001) }), 400, 'evidence: has more than 4000 characters')
  refused(await post({ evidence: ['a'] }), 422, 'evidence: must be a string or an object')
  refused(await post({ text: 5 }), 422, 'text: must be a string')
  const sentence = 'number is one in international form, as +15550100100'
  for (const wrong of ['2125550123', '+1 212 555 0123', '+0212555012', '+12345', 'tel:+12125550123'])
    refused(await post({ number: wrong }), 400, sentence)
  const most = { source: 's'.repeat(500), text: 't'.repeat(4000), evidence: '😀'.repeat(4000) }
  assert.equal(done(await post({ ...most, unknown: 'field' })).rows.length, 1)
  assert.equal((await read(client, number)).rows.length, 1)
})

test('in a path a number may be escaped, and what is none is 404 (ND-05)', async () => {
  const { client } = await newOrgClient(deployment)
  const number = newNumber()
  await consent(client, number)
  assert.deepEqual(await read(client, encodeURIComponent(number)), await read(client, number))
  assert.equal((await client.delete(at(encodeURIComponent(number)))).body.standing, 'opted_out')
  const sentence = 'the path names no number: it is one as +15550100100'
  for (const wrong of ['2125550123', '+12345', 'nobody', '+1%20212']) {
    refused(await client.get(at(wrong)), 404, sentence)
    refused(await client.delete(at(wrong)), 404, sentence)
  }
})

test('facts are the org’s in both environments, and no other org’s (ND-65)', async () => {
  const { org, client } = await newOrgClient(deployment)
  const live = (await org.serverToken('production')).client
  const stranger = await newOrgClient(deployment)
  const number = newNumber()
  await optOut(client, number)
  assert.deepEqual(await read(live, number), await read(client, number))
  assert.deepEqual(numbersOf(await listed(live)), [number])
  assert.equal((await read(stranger.client, number)).standing, 'unknown')
  assert.deepEqual(numbersOf(await listed(stranger.client)), [])
})

test('writing takes `talk`, reading takes `calls` (N-298, N-301, N-303, N-305, N-308, N-401, N-403)', async () => {
  const { org } = await newOrgClient(deployment)
  const reads = (await org.serverToken('sandbox', { scopes: ['calls'] })).client
  const writes = (await org.serverToken('sandbox', { scopes: ['talk'] })).client
  const number = newNumber()
  const sent = { numbers: [number], source: 'own' }
  const noTalk = 'this key does not open talk: it opens calls'
  refused(await reads.post('/v1/org/consents', { number, ...express }), 403, noTalk)
  refused(await reads.delete(at(number)), 403, noTalk)
  refused(await reads.post('/v1/org/dnc', sent), 403, noTalk)
  const noCalls = 'this key does not open calls: it opens talk'
  refused(await writes.get(at(number)), 403, noCalls)
  refused(await writes.get('/v1/org/dnc'), 403, noCalls)
  assert.equal((await consent(writes, number)).standing, 'consented')
  assert.equal((await optOut(writes, number)).standing, 'opted_out')
  assert.equal(done(await writes.post('/v1/org/dnc', sent)).added, 1)
  assert.equal((await read(reads, number)).rows.length, 3)
  assert.deepEqual(numbersOf(await listed(reads)), [number])
})
