import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import {
  consent,
  factsOf,
  listed,
  newNumber,
  newOrgClient,
  numbersOf,
  optOut,
  read,
} from '../../../testing/telephony/consent-fixture.ts'
import { until } from '../../../testing/until.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { sql, clock } = deployment
const { database } = deployment.gateway.services

const isNow = (seconds: number) => Math.abs(seconds - clock.now().getTime() / 1000) < 30

test('an import puts each number on the list at once, with where it came from; what is no number is listed in order (N-308, N-309, N-310, N-311, ND-66)', async () => {
  const { client } = await newOrgClient(deployment)
  const [one, two, three] = [newNumber(), newNumber(), newNumber()]
  await consent(client, one)
  await optOut(client, three)
  const numbers = [two, 'x', one, '+12', two, three, 'x']
  const answer = done(await client.post('/v1/org/dnc', { numbers, source: 'registry of May' }))
  assert.deepEqual(answer, { added: 3, refused: ['x', '+12', 'x'] })
  const page = await listed(client)
  assert.deepEqual(numbersOf(page).toSorted(), [one, two, three].toSorted())
  for (const { at: instant, number, ...item } of page.numbers) {
    assert.ok(isNow(instant))
    assert.deepEqual(item, { source: 'registry of May', by: 'ci', call: null })
    assert.equal((await read(client, number)).rows[0].source, 'registry of May')
  }
  assert.deepEqual(factsOf(await read(client, three)), ['opt_out', 'opt_out'])
  assert.deepEqual(factsOf(await read(client, two)), ['opt_out'])
  const none = { added: 0, refused: ['x'] }
  assert.deepEqual(done(await client.post('/v1/org/dnc', { numbers: ['x'], source: 'own' })), none)
})

test('an import takes 1 to 10000 numbers, and none at all when it fails (ND-66)', async () => {
  const { org, client } = await newOrgClient(deployment)
  const sentence = 'numbers is a list of 1 to 10000'
  const numbers = Array.from({ length: 10_000 }, newNumber)
  const post = (sent: unknown[], source = 'scrub') => client.post('/v1/org/dnc', { numbers: sent, source })
  refused(await post([]), 400, sentence)
  refused(await post([...numbers, newNumber()]), 400, sentence)
  refused(await post(numbers, '  '), 422, 'source: is blank')
  refused(await post([1]), 422, 'numbers.0: must be a string')
  assert.deepEqual(done(await post(numbers)), { added: 10_000, refused: [] })
  const count = async () =>
    (await sql('select count(*)::int as n from consents where org = $1', [org.id])).rows[0].n
  assert.equal(await count(), 10_000)
  await sql(`create function break_one() returns trigger language plpgsql as $$
    begin if new.source = 'broken' and new.number = '${numbers[9_000]}' then raise 'broken'; end if; return new; end $$`)
  await sql('create trigger break_one before insert on consents for each row execute function break_one()')
  await assert.rejects(
    deployment.gateway.services.consents.importList({ org: org.id, subject: '', label: 'ci' } as never, {
      numbers,
      source: 'broken',
    }),
    /broken/,
  )
  await sql('drop trigger break_one on consents')
  assert.equal(await count(), 10_000)
})

test('imports of the same numbers in any order at the same time both hold, on two gateways (ND-66)', async () => {
  const { org, client } = await newOrgClient(deployment)
  const other = await deployment.another()
  const far = other.anonymous.as((await org.serverToken('sandbox')).key)
  const numbers = Array.from({ length: 2000 }, newNumber)
  const orders = [numbers, numbers.toReversed(), numbers.toSorted(() => Math.random() - 0.5), numbers]
  const imports = orders.map((sent, n) =>
    (n % 2 === 0 ? client : far).post('/v1/org/dnc', { numbers: sent, source: `list ${n}` }),
  )
  for (const answer of await Promise.all(imports)) assert.equal(done(answer).added, 2000)
  assert.equal((await read(client, numbers[1000] ?? '')).rows.length, 4)
  assert.doesNotMatch(deployment.log() + other.log(), /deadlock/)
})

test('a transaction that locked the org and writes a fact does not wait for an import that waits for the org', async () => {
  const { org, client } = await newOrgClient(deployment)
  const number = newNumber()
  await optOut(client, number)
  const dial = await database.pool.connect()
  try {
    await dial.query('begin')
    await dial.query('select from orgs where id = $1 for update', [org.id])
    const imported = client.post('/v1/org/dnc', { numbers: [number], source: 'scrub' })
    const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await until('the import waits', async () => (await sql(waits)).rowCount === 1)
    await dial.query('select from consent_standings where org = $1 and number = $2 for update nowait', [
      org.id,
      number,
    ])
    await dial.query('commit')
    assert.equal(done(await imported).added, 1)
  } finally {
    dial.release(true)
  }
})

test('the list is paged a hundred at a time, newest first (N-306, N-307, ND-02, ND-66)', async () => {
  const { client } = await newOrgClient(deployment)
  const numbers = Array.from({ length: 250 }, newNumber)
  for (const chunk of [numbers.slice(0, 130), numbers.slice(130)])
    done(await client.post('/v1/org/dnc', { numbers: chunk, source: 'own' }))
  const again = numbers[0] ?? ''
  await optOut(client, again)
  const pages = [await listed(client)]
  for (let next = pages[0].next; next !== null; next = pages.at(-1).next)
    pages.push(await listed(client, `?after=${next}`))
  assert.deepEqual(
    pages.map((page) => page.numbers.length),
    [100, 100, 50],
  )
  const seen = pages.flatMap(numbersOf)
  assert.equal(seen[0], again)
  assert.deepEqual(new Set(seen.slice(1, 121)), new Set(numbers.slice(130)))
  assert.deepEqual(new Set(seen), new Set(numbers))
  for (const cursor of ['', 'x', 'WyJhIl0', 'WzEsMl0'])
    refused(
      await client.get(`/v1/org/dnc?after=${cursor}`),
      422,
      'after: must be the next of the page before',
    )
})
