import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { AuditEntry } from '@switchroom/contract/audit'
import { AuditTrail } from '../../testing/audit/audit-trail.ts'
import { refused } from '../../testing/client.ts'
import { startDeployment, testEnvironment } from '../../testing/deployment.ts'
import { done } from '../../testing/agents/test-agents.ts'
import { dayMs } from '../foundation/clock.ts'
import { readSettings } from '../foundation/settings.ts'

const deployment = await startDeployment({ SVC_TRUSTED_PROXIES: '127.0.0.0/8' })
after(() => deployment[Symbol.asyncDispose]())
const { sql, operator } = deployment
const trail = new AuditTrail(deployment)

const idsOf = (entries: AuditEntry[]) => entries.map(({ id }) => id)

test('an entry names the actor, the action, the target, the time and the client address', async () => {
  const org = await deployment.newOrg()
  const admin = await org.person('admin')
  const from = admin.client.with({ 'x-forwarded-for': '203.0.113.9' })
  const { member } = (await from.post('/v1/members', { email: 'ana@example.com', role: 'qa' })).body
  const [entry] = done(await admin.client.get('/v1/org/audit')).entries
  const { key_id } = done(await admin.client.get('/v1/whoami'))
  const { id, at, ...rest } = entry
  assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000)
  assert.match(id, /^aud_[0-9a-f]{16}$/)
  assert.deepEqual(rest, {
    org: org.id,
    slug: org.slug,
    env: 'sandbox',
    action: 'member.invited',
    actor: {
      kind: 'person',
      key_id,
      subject: admin.id,
      name: 'A admin',
      email: admin.email,
      visiting: false,
    },
    target: { kind: 'member', id: member.id, label: 'ana@example.com' },
    detail: { role: 'qa', agents: [], production: false, operator: false, mailed: false },
    from: '203.0.113.9',
  })
})

test("an org's audit log needs the scope `team`, and the operator's an operator", async () => {
  const org = await deployment.newOrg()
  const qa = await org.person('qa')
  refused(await qa.client.get('/v1/org/audit'), 403, 'this key does not open team: it opens calls · evals')
  const { client } = await org.serverToken('sandbox')
  refused(await client.get('/v1/org/audit'), 403, /^this key does not open team/)
  refused(await (await org.person('admin')).client.get('/v1/ops/audit'), 403, "this door is the operator's")
  assert.equal((await (await org.person('manager')).client.get('/v1/org/audit')).status, 200)
})

test("no org reads another's entries or the deployment's, whatever it filters by", async () => {
  const [mine, other] = [await deployment.newOrg(), await deployment.newOrg()]
  const stranger = await other.person('admin')
  const admin = await mine.person('admin')
  await operator.put('/v1/ops/brand', { name: 'Another name' })
  const { next } = done(await stranger.client.get('/v1/org/audit?limit=1'))
  for (const query of [
    '',
    `?org=${other.id}`,
    `?actor=${stranger.id}`,
    `?target=${stranger.id}`,
    `?after=${next}`,
  ]) {
    const { entries } = done(await admin.client.get(`/v1/org/audit${query}`))
    assert.ok(
      entries.every(({ org }: AuditEntry) => org === mine.id),
      query,
    )
  }
})

test('pages are newest first, and together hold every entry once', async () => {
  const org = await deployment.newOrg()
  const admin = await org.person('admin')
  for (let n = 0; n < 12; n += 1)
    done(await admin.client.post('/v1/keys', { label: `k${n}`, env: 'sandbox' }))
  const pages = [done(await admin.client.get('/v1/org/audit?limit=5'))]
  for (let { next } = pages[0]; next !== null; next = pages.at(-1).next)
    pages.push(done(await admin.client.get(`/v1/org/audit?limit=5&after=${next}`)))
  const entries: AuditEntry[] = pages.flatMap((page) => page.entries)
  const { rows } = await sql('select id from audit where org = $1 order by ordinal desc', [org.id])
  assert.deepEqual(
    idsOf(entries),
    rows.map(({ id }) => id),
  ) // org made, invited, joined, password, 12 keys
  assert.equal(entries.length, 16)
})

test('entries are filtered by action, actor, target and time', async () => {
  const org = await deployment.newOrg()
  const [admin, other] = [await org.person('admin'), await org.person('admin')]
  const made = done(await admin.client.post('/v1/keys', { label: 'one', env: 'sandbox' }))
  done(await other.client.post('/v1/keys', { label: 'two', env: 'sandbox' }))
  const list = async (query: string): Promise<AuditEntry[]> =>
    done(await admin.client.get(`/v1/org/audit?${query}`)).entries
  const labels = async (query: string) => (await list(query)).map(({ target }) => target.label)
  assert.deepEqual(await labels('action=key.created'), ['two', 'one'])
  for (const actor of [
    admin.id,
    admin.email.toUpperCase(),
    done(await admin.client.get('/v1/whoami')).key_id,
  ])
    assert.deepEqual(await labels(`action=key.created&actor=${actor}`), ['one'])
  assert.deepEqual(await labels(`target=${made.key_id}`), ['one'])
  assert.deepEqual(await labels('target=two'), ['two'])
  const [newest, before] = await list('action=key.created')
  assert.deepEqual(
    await labels(`action=key.created&since=${newest?.at}`),
    newest?.at === before?.at ? ['two', 'one'] : ['two'],
  )
  assert.deepEqual(await labels(`until=${before?.at}&action=key.created`), [])
  const { entries } = done(await operator.get(`/v1/ops/audit?org=${org.slug}&action=key.created`))
  assert.equal(entries.length, 2)
  refused(await operator.get('/v1/ops/audit?org=nobody'), 404, 'there is no org nobody')
})

test('a filter of the wrong form is refused in a sentence', async () => {
  for (const [query, sentence] of [
    ['action=nothing', /^action: must be one of member\.invited, /],
    ['since=yesterday', 'since: must be a time with an offset, such as 2026-01-31T09:00:00Z'],
    ['until=2026-13-45T00:00:00Z', 'until: must be a time with an offset, such as 2026-01-31T09:00:00Z'],
    ['limit=0', 'limit: must be a whole number from 1 to 200'],
    ['limit=201', 'limit: must be a whole number from 1 to 200'],
    ['after=x', 'after: must be the next of the page before'],
    [
      `after=${Buffer.from('["nonsense",1]').toString('base64url')}`,
      'after: must be the next of the page before',
    ],
  ] as const)
    refused(await operator.get(`/v1/ops/audit?${query}`), 422, sentence)
})

test('what is recorded can neither be changed nor deleted in the database', async () => {
  await deployment.newOrg()
  const before = await trail.count()
  const keeps = /the audit log keeps what it holds: entries are added, never changed or deleted/
  for (const attack of [
    `update audit set actor_email = 'somebody@else.example'`,
    `update audit set detail = '{}' where false`,
    'delete from audit',
    'truncate audit',
  ])
    await assert.rejects(sql(attack), keeps, attack)
  // A transaction in which retention may delete may still change nothing.
  const client = await deployment.gateway.services.database.pool.connect()
  try {
    await client.query(`begin; select set_config('switchroom.audit_retention', 'on', true)`)
    await assert.rejects(client.query(`update audit set action = 'key.revoked'`), keeps)
  } finally {
    await client.query('rollback')
    client.release()
  }
  assert.equal(await trail.count(), before)
})

test('a refused change records nothing', async () => {
  const org = await deployment.newOrg()
  const [admin, manager] = [await org.person('admin'), await org.person('manager')]
  const before = await trail.count()
  const { client } = manager
  for (const answer of [
    await client.post('/v1/members', { email: 'x@example.com', role: 'admin' }),
    await client.post('/v1/members', { email: admin.email, role: 'qa' }),
    await admin.client.patch(`/v1/members/${admin.id}`, { role: 'qa' }),
    await admin.client.delete(`/v1/members/${admin.id}`),
    await client.delete('/v1/members/nobody'),
    await admin.client.post('/v1/keys/nothing/revoke'),
    await deployment.anonymous.post('/v1/login', { email: admin.email, password: 'a wrong password' }),
    await deployment.anonymous.post('/v1/invitations/invented', { password: 'correct horse battery' }),
    await operator.put(`/v1/ops/orgs/${org.id}/quotas`, { seats: -1 }),
  ])
    assert.ok(answer.status >= 400, answer.text)
  assert.equal(await trail.count(), before)
})

test('a change that its entry cannot be written for is not made', async () => {
  await using own = await startDeployment()
  const org = await own.newOrg()
  const admin = await org.person('admin')
  await own.sql('alter table audit add constraint full_up check (false) not valid')
  const headers = { authorization: `Bearer ${admin.key}`, 'content-type': 'application/json' }
  for (const [path, body] of [
    ['/v1/members', { email: 'x@example.com', role: 'qa' }],
    ['/v1/keys', { label: 'x', env: 'sandbox' }],
  ] as const) {
    const answer = await fetch(own.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    assert.equal(answer.status, 500)
  }
  const { members } = done(await admin.client.get('/v1/members'))
  assert.equal(members.length, 1)
  assert.equal(done(await admin.client.get('/v1/keys')).keys.length, 1)
})

test('what two gateways change at the same instant is recorded once each, and read on both', async () => {
  await using there = await deployment.another()
  const org = await deployment.newOrg()
  const admin = await org.person('admin')
  const clients = [admin.client, there.anonymous.as(admin.key)]
  const made = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      clients[n % 2]!.post('/v1/keys', { label: `k${n}`, env: 'sandbox' }),
    ),
  )
  const [here, other] = await Promise.all(
    clients.map(
      async (client) => done(await client.get('/v1/org/audit?action=key.created&limit=200')).entries,
    ),
  )
  assert.deepEqual(here, other)
  assert.deepEqual(
    new Set(here.map(({ target }: AuditEntry) => target.id)),
    new Set(made.map((answer) => done(answer).key_id)),
  )
  assert.equal(here.length, 20)
})

test('of two gateways that revoke a key at the same instant one does, and one entry says so', async () => {
  await using there = await deployment.another()
  const org = await deployment.newOrg()
  const admin = await org.person('admin')
  const { key_id } = done(await admin.client.post('/v1/keys', { label: 'one', env: 'sandbox' }))
  const answers = await Promise.all(
    [admin.client, there.anonymous.as(admin.key)].map((client) => client.post(`/v1/keys/${key_id}/revoke`)),
  )
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 404],
  )
  const { entries } = done(await admin.client.get(`/v1/org/audit?action=key.revoked&target=${key_id}`))
  assert.equal(entries.length, 1)
})

test('entries are deleted when they are older than SVC_AUDIT_DAYS, and not before', async () => {
  await using own = await startDeployment({ SVC_AUDIT_DAYS: '30' })
  await own.newOrg()
  const count = async () => (await own.sql('select count(*)::int as n from audit')).rows[0].n
  const run = async () => done(await own.operator.post('/v1/ops/retention')).audit
  own.clock.forward(29 * dayMs)
  assert.equal(await run(), 0)
  const before = await count()
  own.clock.forward(2 * dayMs)
  assert.equal(await run(), before)
  await using there = await own.another()
  there.clock.forward(31 * dayMs)
  await own.sql(
    `insert into audit (id, at, action, actor_kind, visiting, target_kind, detail)
     select 'old_' || n, now() - interval '1 day', 'org.created', 'system', false, 'org', '{}'
     from generate_series(1, 2500) n`,
  )
  const [here, other] = await Promise.all(
    [own, there].map(async ({ operator: asker }) => done(await asker.post('/v1/ops/retention')).audit),
  )
  const { rows } = await own.sql(`select from audit where id like 'old_%'`)
  assert.equal(rows.length, 0)
  assert.ok(here + other >= 2500)
})

test('with SVC_AUDIT_DAYS at 0 entries are kept for ever; unset, for 730 days', async () => {
  const kept = (days: string) =>
    readSettings(testEnvironment('postgresql://x', { SVC_AUDIT_DAYS: days })).auditKeptMs
  assert.deepEqual([kept(''), kept('0'), kept('1')], [730 * dayMs, undefined, dayMs])
  assert.throws(() => kept('-1'), /^Error: SVC_AUDIT_DAYS is not a whole number: -1$/)
  await using forever = await deployment.another({ SVC_AUDIT_DAYS: '0' })
  forever.clock.forward(5000 * dayMs)
  assert.equal(done(await forever.operator.post('/v1/ops/retention')).audit, 0)
})
