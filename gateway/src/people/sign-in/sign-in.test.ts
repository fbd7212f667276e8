import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused, type Answer } from '../../../testing/client.ts'
import { password, startDeployment } from '../../../testing/deployment.ts'

// Measures time: one kind of refusal takes as long as another.

const deployment = await startDeployment({ SVC_TRUSTED_PROXIES: '127.0.0.1' })
after(() => deployment[Symbol.asyncDispose]())
const { anonymous, operator, sql } = deployment

let places = 0
/** Every request from a place of its own, so that only tests about the count meet it. */
const elsewhere = () =>
  anonymous.with({ 'x-forwarded-for': `198.51.${Math.floor((places += 1) / 250)}.${places % 250}` })
const signIn = (body: object) => elsewhere().post('/v1/login', body)
const statusOf = async (id: string) =>
  (await sql('select status from members where id = $1', [id])).rows[0].status

const nobodyAnswers = 'nobody answers to that email and password'

test('an email and a password give a key of that person in the org named (I-016, I-017, I-184, I-203, I-205, I-452, I-062, ID-01, ID-15, ID-55)', async () => {
  const [first, second] = [await deployment.newOrg(), await deployment.newOrg()]
  const ana = await first.person('developer')
  const there = await second.join(ana.email, 'qa')
  const { status, body } = await signIn({
    email: ` ${ana.email.toUpperCase()} `,
    password,
    org: second.slug,
    device: 'phone',
  })
  assert.equal(status, 200)
  const { key, key_id, ...rest } = body
  assert.match(key, /^svc_live_[A-Za-z0-9_-]{43}$/)
  assert.match(key_id, /^key_/)
  assert.deepEqual(rest, {
    org: second.id,
    label: 'phone',
    env: 'sandbox',
    scopes: ['calls', 'evals'],
    subject: there.id,
    name: 'A qa',
  })
  assert.equal((await anonymous.as(key).get('/v1/whoami')).body.slug, second.slug)
  assert.equal((await signIn({ email: ana.email, password })).body.label, 'sign-in')
})

test('a body with both ways or with neither is 400, and null counts as absent (I-201, I-202, I-477, ID-61)', async () => {
  const sentence = 'sign in with an email and a password, or with a code'
  const wrong = [
    {},
    { email: 'a@x.co' },
    { password },
    { email: 'a@x.co', password, code: 'lc_x' },
    { email: 'a@x.co', code: 'lc_x' },
    { email: null, password: null, code: null },
  ]
  for (const body of wrong) refused(await signIn(body), 400, sentence)
  refused(await signIn({ email: 7, password }), 422, 'email: must be a string or null')
  refused(await signIn([]), 422, 'body: must be a JSON object')
  refused(
    await signIn({ code: 'lc_x', email: null, password: null }),
    404,
    'that code is spent or was never made',
  )
})

test('a wrong address, a wrong password and a wrong org are one refusal, byte for byte (I-207, I-208, I-486, ID-13, ID-63, ID-66, T-01, T-03)', async () => {
  const [org, stranger] = [await deployment.newOrg(), await deployment.newOrg()]
  const { email } = await org.person('qa')
  const olga = await org.person('admin', { operator: true })
  await org.invite('never-chose@example.com', 'qa')
  const answers = [
    await signIn({ email: 'nobody@example.com', password }),
    await signIn({ email: 'nonsense', password }),
    await signIn({ email, password: 'wrong' }),
    await signIn({ email, password: 'x'.repeat(2000) }),
    await signIn({ email, password, org: 'no-such-org' }),
    await signIn({ email, password, org: stranger.slug }),
    await signIn({ email: olga.email, password, org: stranger.slug }),
    await signIn({ email: 'never-chose@example.com', password: '' }),
    await signIn({ email: 'never-chose@example.com', password, org: org.slug }),
  ]
  const headersOf = ({ headers }: Answer) => [...headers.keys()].filter((name) => name !== 'date').toSorted()
  for (const answer of answers) {
    refused(answer, 401, nobodyAnswers)
    assert.equal(answer.text, answers[0]?.text)
    assert.deepEqual(headersOf(answer), headersOf(answers[0] as Answer))
  }
})

/** The median time of each wrong kind, over rounds in which they take turns. */
async function mediansMs(kinds: Record<string, object>): Promise<Record<string, number>> {
  const took = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, [] as number[]]))
  for (let round = 0; round < 60; round += 1)
    for (const [kind, body] of Object.entries(kinds)) {
      const before = performance.now()
      await signIn(body)
      took[kind]?.push(performance.now() - before)
    }
  const median = (times: number[]) => times.toSorted((a, b) => a - b)[30] ?? 0
  return Object.fromEntries(Object.entries(took).map(([kind, times]) => [kind, median(times)]))
}

test('wrong address, wrong password and wrong org take the same time (I-209, ID-67, T-01)', async (t) => {
  const { email } = await (await deployment.newOrg()).person('qa')
  const kinds = {
    address: { email: 'nobody-at-all@example.com', password },
    password: { email, password: 'wrong' },
    org: { email, password, org: 'no-such-org' },
  }
  // A kind that answers early is many times faster, every time; another process on the machine is not there every time.
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const medians = await mediansMs(kinds)
    t.diagnostic(
      `medians in ms: ${Object.entries(medians)
        .map(([kind, ms]) => `${kind} ${ms.toFixed(1)}`)
        .join(', ')}`,
    )
    if (Math.max(...Object.values(medians)) <= Math.min(...Object.values(medians)) * 1.2) return
  }
  assert.fail('the medians differ by more than 20 percent')
})

test('the state of a row shows only after the password matched (I-210, I-211, I-212, I-489, I-490, ID-64, T-02)', async () => {
  const [org, walled] = [await deployment.newOrg(), await deployment.newOrg()]
  const disabled = await org.person('qa')
  await sql(`update members set status = 'disabled' where id = $1`, [disabled.id])
  const walledIn = await walled.person('qa')
  await walled.requireProvider()
  for (const { email } of [disabled, walledIn])
    refused(await signIn({ email, password: 'wrong' }), 401, nobodyAnswers)
  for (const slug of [org.slug, undefined])
    refused(
      await signIn({ email: disabled.email, password, org: slug ?? null }),
      403,
      `${disabled.email} is disabled in ${org.slug}`,
    )
  const sentence = `${walled.slug} signs in with its provider: /v1/login/sso?org=${walled.slug}`
  refused(await signIn({ email: walledIn.email, password, org: walled.slug }), 403, sentence)
  refused(await signIn({ email: walledIn.email, password }), 403, sentence)
  await sql(`update members set status = 'disabled' where id = $1`, [walledIn.id])
  refused(
    await signIn({ email: walledIn.email, password }),
    403,
    `${walledIn.email} is disabled in ${walled.slug}`,
  )
})

test('a sign-in that names the org takes a waiting seat of a person proven elsewhere (I-133, I-134, I-135, I-137, ID-59)', async () => {
  const [home, inviting] = [await deployment.newOrg(), await deployment.newOrg()]
  const { email } = await home.person('qa')
  const { id } = await inviting.invite(email, 'supervisor')
  const { status, body } = await signIn({ email, password, org: inviting.slug })
  assert.deepEqual([status, body.org, body.subject], [200, inviting.id, id])
  assert.equal(await statusOf(id), 'active')
})

test('an unproven address takes no seat this way, and says so (I-134, I-213, I-491, ID-65, T-32)', async () => {
  const [home, inviting] = [await deployment.newOrg(), await deployment.newOrg()]
  const { email } = await home.person('qa')
  const { id } = await inviting.invite(email, 'qa')
  await sql('update persons set verified = false where email = $1', [email])
  refused(
    await signIn({ email, password, org: inviting.slug }),
    403,
    `${email} is invited to ${inviting.slug}: accept the invitation first`,
  )
  assert.equal(await statusOf(id), 'invited')
})

test('a provider-only org seats no person this way, whatever is proven (I-136, T-41)', async () => {
  const [home, walled] = [await deployment.newOrg(), await deployment.newOrg()]
  const { email } = await home.person('qa')
  const { id } = await walled.invite(email, 'qa')
  await walled.requireProvider()
  refused(
    await signIn({ email, password, org: walled.slug }),
    403,
    new RegExp(`^${walled.slug} signs in with its provider`),
  )
  assert.equal(await statusOf(id), 'invited')
})

test('with no org named it is the oldest active one that is not provider-only, and no invitation is taken (I-149, I-204, ID-62, T-13, T-14)', async () => {
  const orgs = [
    await deployment.newOrg(),
    await deployment.newOrg(),
    await deployment.newOrg(),
    await deployment.newOrg(),
  ] as const
  const disabled = await orgs[0].person('qa')
  const { email } = disabled
  await orgs[1].join(email, 'qa')
  const third = await orgs[2].join(email, 'qa')
  const invited = await orgs[3].invite(email, 'qa')
  await sql(`update members set status = 'disabled' where id = $1`, [disabled.id])
  await orgs[1].requireProvider()
  assert.equal((await signIn({ email, password })).body.subject, third.id)
  await sql(`update members set status = 'disabled' where id = $1`, [third.id])
  refused(await signIn({ email, password }), 403, `${email} is disabled in ${orgs[0].slug}`)
  assert.equal(await statusOf(invited.id), 'invited')
})

test('with right password and nothing but an invitation, the refusal is the invitation (ID-63)', async () => {
  const [home, inviting] = [await deployment.newOrg(), await deployment.newOrg()]
  await home.person('admin')
  const { id, email } = await home.person('qa')
  await inviting.invite(email, 'qa')
  await operator.delete(`/v1/ops/orgs/${home.slug}/members/${id}`)
  refused(
    await signIn({ email, password }),
    403,
    `${email} is invited to ${inviting.slug}: accept the invitation first`,
  )
})

test('every device has a key of its own, also with the same name (I-015, I-206, ID-16)', async () => {
  const { email } = await (await deployment.newOrg()).person('qa')
  const [one, two] = [
    await signIn({ email, password, device: 'tablet' }),
    await signIn({ email, password, device: 'tablet' }),
  ]
  assert.notEqual(one.body.key_id, two.body.key_id)
  assert.equal((await anonymous.as(one.body.key).post(`/v1/keys/${one.body.key_id}/revoke`)).status, 200)
  refused(await anonymous.as(one.body.key).get('/v1/whoami'), 401, 'this key opens nothing')
  assert.equal((await anonymous.as(two.body.key).get('/v1/whoami')).status, 200)
})

test('POST /v1/login/orgs lists what this password would open and mints nothing (I-096, I-186, I-187, ID-68, T-13)', async () => {
  const orgs = [
    await deployment.newOrg(),
    await deployment.newOrg(),
    await deployment.newOrg(),
    await deployment.newOrg(),
  ] as const
  const { email } = await orgs[0].person('developer')
  const disabled = await orgs[1].join(email, 'qa')
  await sql(`update members set status = 'disabled' where id = $1`, [disabled.id])
  const invited = await orgs[2].invite(email, 'supervisor')
  await orgs[3].join(email, 'qa')
  await orgs[3].requireProvider()
  const before = (await sql('select count(*) as n from keys')).rows[0].n
  const { status, body } = await elsewhere().post('/v1/login/orgs', { email, password })
  assert.equal(status, 200)
  assert.deepEqual(body, {
    orgs: [
      { org: orgs[0].id, slug: orgs[0].slug, name: `Org ${orgs[0].slug}`, role: 'developer' },
      { org: orgs[2].id, slug: orgs[2].slug, name: `Org ${orgs[2].slug}`, role: 'supervisor' },
    ],
  })
  assert.equal((await sql('select count(*) as n from keys')).rows[0].n, before)
  assert.equal(await statusOf(invited.id), 'invited')
  refused(await elsewhere().post('/v1/login/orgs', { email, password: 'wrong' }), 401, nobodyAnswers)
  refused(await elsewhere().post('/v1/login/orgs', { email }), 422, 'password: is required')
  await sql(`update members set status = 'disabled' where email = $1`, [email])
  assert.deepEqual((await elsewhere().post('/v1/login/orgs', { email, password })).body, { orgs: [] })
})
