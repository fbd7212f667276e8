import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { noLimit, startDeployment } from '../../../testing/deployment.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { operator } = deployment

const nothingHeld = { minutes: 0, messages: 0, agents: 0, concurrent_calls: 0, numbers: 0, seats: 0 }

test('the operator makes orgs and lists them, oldest first (ID-01, ID-11, ID-36, ID-37)', async () => {
  await using own = await startDeployment()
  assert.deepEqual((await own.operator.get('/v1/ops/orgs')).body, { orgs: [] })
  for (const slug of ['zeta', 'alpha', 'mid']) {
    const created = await own.operator.post('/v1/ops/orgs', { slug, name: `The ${slug}` })
    assert.equal(created.status, 201)
    assert.match(created.body.id, /^org_[0-9a-f]{12}$/)
    assert.deepEqual(created.body, { id: created.body.id, slug, name: `The ${slug}` })
  }
  const { orgs } = (await own.operator.get('/v1/ops/orgs')).body
  assert.deepEqual(
    orgs.map((org: { slug: string }) => org.slug),
    ['zeta', 'alpha', 'mid'],
  )
  assert.deepEqual(Object.keys(orgs[0]).toSorted(), ['created_at', 'id', 'name', 'slug'])
  assert.match(orgs[0].created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
})

test('a newborn org has no limits and is found by its id and by its slug (I-002, ID-37, ID-39)', async () => {
  const org = await deployment.newOrg()
  for (const name of [org.id, org.slug]) {
    const { body } = await operator.get(`/v1/ops/orgs/${name}`)
    assert.deepEqual([body.id, body.quotas, body.holding], [org.id, noLimit, nothingHeld])
  }
  refused(await operator.get('/v1/ops/orgs/nowhere'), 404, 'there is no org nowhere')
})

test('a slug is lower-case letters, digits and dashes, at most 40 (ID-08)', async () => {
  const sentence = "an org's name is lower-case letters, digits and dashes, at most 40"
  for (const slug of ['', 'A', 'a_b', '-a', 'a-', 'a b', 'ä', 'a'.repeat(41)])
    refused(await operator.post('/v1/ops/orgs', { slug }), 400, sentence)
  for (const slug of ['a', '7', 'a'.repeat(40), 'a--b'])
    assert.equal((await operator.post('/v1/ops/orgs', { slug })).status, 201)
})

test('of 20 orgs made at the same time with one slug exactly one is made (ID-08, ID-37)', async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => operator.post('/v1/ops/orgs', { slug: 'wanted' })),
  )
  assert.equal(answers.filter(({ status }) => status === 201).length, 1)
  for (const answer of answers) if (answer.status !== 201) refused(answer, 409, 'wanted is taken')
})

test('a name is one line of 1 to 100 characters, the slug when none is given (ID-14)', async () => {
  refused(
    await operator.post('/v1/ops/orgs', { slug: 'named', name: 'a\nb' }),
    400,
    'a name is one line of 1 to 100 characters',
  )
  assert.equal((await operator.post('/v1/ops/orgs', { slug: 'named' })).body.name, 'named')
})

test('quotas are replaced whole: null is no limit, a missing one is 422, a negative one 400 (ID-38)', async () => {
  const { slug } = await deployment.newOrg()
  const put = (quotas: object) => operator.put(`/v1/ops/orgs/${slug}/quotas`, quotas)
  const wanted = { ...noLimit, seats: 3, minutes: 0 }
  const replaced = await put({ ...wanted, colour: 'red' })
  assert.equal(replaced.status, 200)
  assert.deepEqual(replaced.body, { quotas: wanted })
  const { seats: _, ...five } = noLimit
  refused(await put(five), 422, 'seats: is required')
  refused(await put({ ...noLimit, seats: 'three' }), 422, 'seats: must be a whole number or null')
  refused(
    await put({ ...noLimit, seats: -1 }),
    400,
    'seats: must be null or a whole number from 0 to 2147483647',
  )
  refused(
    await put({ ...noLimit, minutes: 1e12 }),
    400,
    'minutes: must be null or a whole number from 0 to 2147483647',
  )
  refused(await operator.put('/v1/ops/orgs/nowhere/quotas', noLimit), 404, 'there is no org nowhere')
  assert.deepEqual((await operator.get(`/v1/ops/orgs/${slug}`)).body.quotas, wanted)
})

test('what an org holds counts seats of the invited and the active (ID-38, ID-40)', async () => {
  const org = await deployment.newOrg()
  const { id } = await org.person('qa')
  await operator.post(`/v1/ops/orgs/${org.slug}/members`, { email: 'invited@example.com' })
  assert.equal((await operator.get(`/v1/ops/orgs/${org.slug}`)).body.holding.seats, 2)
  await deployment.sql(`update members set status = 'disabled' where id = $1`, [id])
  assert.equal((await operator.get(`/v1/ops/orgs/${org.slug}`)).body.holding.seats, 1)
})

test('caps are changed with the quotas if they are named, and are the usual ones otherwise', async () => {
  const { slug } = await deployment.newOrg()
  const at = `/v1/ops/orgs/${slug}/quotas`
  const usual = {
    event_streams: 100,
    app_sockets: 100,
    chats: 500,
    recordings_gb: 50,
    entries: 20_000,
    bases: 1_000,
    documents: 10_000,
    documents_gb: 10,
    chunks: 500_000,
  }
  assert.deepEqual((await operator.get(at)).body, { quotas: noLimit, caps: usual })
  assert.deepEqual((await operator.put(at, noLimit)).body, { quotas: noLimit })
  const first = await operator.put(at, { ...noLimit, chats: 7, entries: null })
  assert.deepEqual(first.body, { quotas: noLimit, caps: { ...usual, chats: 7, entries: null } })
  assert.deepEqual((await operator.put(at, { ...noLimit, seats: 2 })).body.caps, undefined)
  const second = await operator.put(at, { ...noLimit, app_sockets: 0 })
  assert.deepEqual(second.body.caps, { ...usual, chats: 7, entries: null, app_sockets: 0 })
  assert.deepEqual((await operator.get(at)).body, { quotas: noLimit, caps: second.body.caps })
  refused(
    await operator.put(at, { ...noLimit, chats: -1 }),
    400,
    'chats: must be null or a whole number from 0 to 2147483647',
  )
  refused(await operator.put(at, { ...noLimit, chats: 'many' }), 422, 'chats: must be a whole number or null')
  refused(await operator.get('/v1/ops/orgs/nowhere/quotas'), 404, 'there is no org nowhere')
})
