import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { scopes } from '@switchroom/contract/scopes'
import { refused } from '../../../testing/client.ts'
import { password, startDeployment } from '../../../testing/deployment.ts'
import { startMailServer } from '../../../testing/mail/mail-server.ts'

const mail = await startMailServer()
const settings = {
  SVC_SIGNUP: '1',
  SVC_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
  SVC_MAIL_FROM: 'Switchroom <post@switchroom.test>',
  SVC_TRUSTED_PROXIES: '127.0.0.1',
}
const deployment = await startDeployment(settings)
after(async () => {
  await deployment[Symbol.asyncDispose]()
  await mail[Symbol.asyncDispose]()
})
const { anonymous, operator, sql, clock } = deployment

let places = 0
/** Every request from a place of its own, so that only the tests about the rate meet it. */
const elsewhere = (client = anonymous) =>
  client.with({ 'x-forwarded-for': `198.51.${Math.floor((places += 1) / 250)}.${places % 250}` })
let sequence = 0
const fresh = () => ({
  org: `fresh-${(sequence += 1)}`,
  name: 'Fresh Ltd',
  email: `founder-${sequence}@example.com`,
  person: 'Fay',
  password,
  device: 'laptop',
})
const signUp = (body: object) => elsewhere().post('/v1/signup', body)
const verify = (email: string, code: string) => elsewhere().post('/v1/signup/verify', { email, code })
const letterTo = async (email: string) => {
  for (;;) {
    const letter = await mail.nextLetter()
    if (letter.envelope.to.includes(email)) return letter
  }
}
const codeFor = async (email: string) => /\b\d{6}\b/.exec((await letterTo(email)).text)?.[0] ?? ''
const otherThan = (code: string) => (code === '000000' ? '000001' : '000000')

test('signing up mails six digits, and nothing exists until they come back (I-082, I-200, I-173, I-174, I-175, I-176, I-349, I-351, I-352, I-353, I-520, I-521, ID-129, ID-165, T-70)', async () => {
  const wanted = fresh()
  const before = Date.now()
  const { status, body, text } = await signUp({ ...wanted, email: ` ${wanted.email.toUpperCase()}` })
  const afterwards = Date.now()
  assert.equal(status, 202)
  assert.deepEqual(Object.keys(body), ['email', 'code_expires_at'])
  assert.equal(body.email, wanted.email)
  const expiresAt = Date.parse(body.code_expires_at)
  assert.ok(expiresAt - before >= 900_000 && expiresAt - afterwards < 901_000) // however long the answer took
  const letter = await letterTo(wanted.email)
  const codes = letter.text.match(/\b\d{6}\b/g) ?? []
  assert.equal(new Set(codes).size, 1)
  assert.equal(text.includes(String(codes[0])), false)
  for (const named of ['Fresh Ltd', wanted.org, 'Fay']) assert.ok(letter.text.includes(named), named)
  const { orgs } = (await operator.get('/v1/ops/orgs')).body
  assert.equal(
    orgs.some((org: { slug: string }) => org.slug === wanted.org),
    false,
  )
  assert.equal((await sql('select from persons where email = $1', [wanted.email])).rowCount, 0)
  assert.equal(
    (await sql('select code_mac from sign_ups where email = $1', [wanted.email])).rows[0].code_mac.includes(
      String(codes[0]),
    ),
    false,
  )
})

test('the right code makes the org with its admin, a key and a code for the console (I-059, I-060, I-061, I-177, I-178, I-179, I-350, I-354, I-355, I-363, I-364, I-457, ID-01, ID-39, ID-121, ID-122, ID-134)', async () => {
  const wanted = fresh()
  await signUp(wanted)
  const { status, body } = await verify(wanted.email, await codeFor(wanted.email))
  assert.equal(status, 201)
  const { key, key_id, org, subject, login, member, ...rest } = body
  assert.deepEqual(rest, {
    slug: wanted.org,
    label: 'laptop',
    env: 'sandbox',
    scopes: [...scopes],
    name: 'Fay',
  })
  assert.deepEqual(member, {
    id: subject,
    email: wanted.email,
    name: 'Fay',
    role: 'admin',
    agents: [],
    status: 'active',
    scopes: [...scopes],
    operator: false,
    production: true,
    verified: true,
  })
  assert.equal((await anonymous.as(key).get('/v1/whoami')).body.key_id, key_id)
  const made = (await operator.get(`/v1/ops/orgs/${org}`)).body
  assert.deepEqual([made.slug, made.name, made.quotas.seats], [wanted.org, 'Fresh Ltd', null])
  assert.match(login, /^lc_/)
  const console = await anonymous.post('/v1/login', { code: login })
  assert.deepEqual([console.body.subject, console.body.label], [subject, 'console'])
  assert.equal(
    (await elsewhere().post('/v1/login', { email: wanted.email, password, org: wanted.org })).status,
    200,
  )
})

test('every address is answered alike, and what differs is the letter (I-358, I-359, I-360, I-361, ID-127, ID-128, T-66)', async () => {
  const org = await deployment.newOrg()
  const known = await org.person('qa')
  const provided = await org.person('qa')
  await sql('update persons set password_hash = null where email = $1', [provided.email])
  await org.invite('invited@example.com', 'qa')
  const cases = [
    { ...fresh(), says: /\b\d{6}\b/ },
    { ...fresh(), email: known.email, says: /\b\d{6}\b/ },
    { ...fresh(), email: known.email, password: 'another password', says: /you have an account/ },
    { ...fresh(), email: provided.email, says: /you have an account/ },
    { ...fresh(), email: 'invited@example.com', says: /accept/ },
  ]
  for (const { says, ...wanted } of cases) {
    const { status, body } = await signUp(wanted)
    assert.deepEqual(
      [status, Object.keys(body), body.email],
      [202, ['email', 'code_expires_at'], wanted.email],
    )
    const { text, headers } = await letterTo(wanted.email)
    assert.match(`${headers['subject']} ${text}`, says)
    if (!says.test('123456')) assert.doesNotMatch(text, /\b\d{6}\b/)
  }
  const { rows } = await sql(`select email from sign_ups where email in ($1, 'invited@example.com')`, [
    provided.email,
  ])
  assert.deepEqual(rows, [])
})

test('a person with a password founds a second org with it, and an existing password is never replaced (I-359, ID-129, T-73)', async () => {
  const wanted = fresh()
  await signUp(wanted)
  const code = await codeFor(wanted.email)
  const org = await deployment.newOrg()
  await org.invite(wanted.email, 'qa')
  const token = /\/invitations\/([A-Za-z0-9_-]{43})/.exec((await letterTo(wanted.email)).text)?.[1]
  const accepted = await anonymous.post(`/v1/invitations/${token}`, { password: 'chosen meanwhile' })
  assert.deepEqual([accepted.status, accepted.body.member.verified], [200, true])
  assert.equal((await verify(wanted.email, code)).status, 201)
  assert.equal(
    (
      await elsewhere().post('/v1/login', {
        email: wanted.email,
        password: 'chosen meanwhile',
        org: wanted.org,
      })
    ).status,
    200,
  )
  assert.equal((await elsewhere().post('/v1/login', { email: wanted.email, password })).status, 401)
})

test('a password that was set while the address was unproven is gone when sign-up proves it, with the keys and the seat (ID-73, ID-129, T-73)', async () => {
  const wanted = fresh()
  await signUp(wanted)
  const code = await codeFor(wanted.email)
  const squatter = await deployment.newOrg()
  const invited = await squatter.invite(wanted.email, 'admin')
  const handed = await anonymous.post(`/v1/invitations/${invited.token}`, {
    password: 'chosen by a stranger',
  })
  assert.deepEqual([handed.status, handed.body.member.verified], [200, false])
  assert.equal((await verify(wanted.email, code)).status, 201)
  refused(await anonymous.as(handed.body.key).get('/v1/whoami'), 401, 'this key opens nothing')
  const signIn = (typed: string, org: string) =>
    elsewhere().post('/v1/login', { email: wanted.email, password: typed, org })
  for (const org of [wanted.org, squatter.slug])
    refused(await signIn('chosen by a stranger', org), 401, 'nobody answers to that email and password')
  const { rows } = await sql('select status from members where id = $1', [invited.id])
  assert.deepEqual(rows, [{ status: 'invited' }])
  for (const org of [wanted.org, squatter.slug]) assert.equal((await signIn(password, org)).status, 200)
})

test('an address whose only password was set without proof signs up as a fresh one does (ID-127, ID-129)', async () => {
  const wanted = fresh()
  const squatter = await deployment.newOrg()
  const invited = await squatter.invite(wanted.email, 'admin')
  await letterTo(wanted.email)
  await anonymous.post(`/v1/invitations/${invited.token}`, { password: 'chosen by a stranger' })
  await signUp(wanted)
  assert.equal((await verify(wanted.email, await codeFor(wanted.email))).status, 201)
  const signIn = (typed: string) => elsewhere().post('/v1/login', { email: wanted.email, password: typed })
  assert.equal((await signIn(password)).status, 200)
  assert.equal((await signIn('chosen by a stranger')).status, 401)
})

test('a wrong, burned and expired code each have their words; six codes are compared and no more (I-083, I-084, I-182, I-365, I-366, I-367, I-485, I-522, ID-131)', async () => {
  const wanted = fresh()
  await signUp(wanted)
  const code = await codeFor(wanted.email)
  for (let n = 0; n < 6; n += 1)
    refused(await verify(wanted.email, otherThan(code)), 400, 'that code is wrong')
  for (const tried of [code, otherThan(code)])
    refused(await verify(wanted.email, tried), 400, 'that code was tried six times: ask for another')
  clock.forward(900_001)
  refused(await verify(wanted.email, code), 400, 'that code expired: ask for another')
})

test('an address that no person signed up with reads as a wrong code, byte for byte (I-368, ID-13, ID-131, ID-132)', async () => {
  const wanted = fresh()
  await signUp(wanted)
  const code = await codeFor(wanted.email)
  const wrong = await verify(wanted.email, otherThan(code))
  for (const email of ['nobody@example.com', 'nonsense'])
    assert.equal((await verify(email, code)).text, wrong.text)
  assert.equal((await verify(wanted.email, code)).status, 201)
  refused(await verify(wanted.email, code), 400, 'that code is wrong')
})

test('another code kills the first and starts the tries anew (I-180, I-181, I-356, ID-133, T-69)', async () => {
  const wanted = fresh()
  await signUp(wanted)
  const first = await codeFor(wanted.email)
  for (let n = 0; n < 6; n += 1) await verify(wanted.email, otherThan(first))
  const resent = await elsewhere().post('/v1/signup/resend', { email: wanted.email })
  assert.deepEqual([resent.status, resent.body], [202, {}])
  const second = await codeFor(wanted.email)
  if (first !== second) refused(await verify(wanted.email, first), 400, 'that code is wrong')
  assert.equal((await verify(wanted.email, second)).status, 201)
  const unknown = await elsewhere().post('/v1/signup/resend', { email: 'nobody@example.com' })
  assert.deepEqual([unknown.status, unknown.body], [202, {}])
})

test('a taken slug is 409 whatever the address, at the start and again at the end, where the code is not spent (I-362, I-509, ID-123, ID-130, T-67, T-71)', async () => {
  const [one, two] = [fresh(), fresh()]
  const taken = (await deployment.newOrg()).slug
  refused(await signUp({ ...one, org: taken }), 409, `${taken} is taken`)
  await signUp(one)
  const first = await codeFor(one.email)
  await signUp({ ...two, org: one.org })
  const second = await codeFor(two.email)
  assert.equal((await verify(one.email, first)).status, 201)
  refused(await verify(two.email, second), 409, `${one.org} is taken`)
  refused(await verify(two.email, second), 409, `${one.org} is taken`)
})

test('of 20 verifications concurrently over two gateways one makes the org (I-177, T-29)', async () => {
  const second = await deployment.another()
  const wanted = fresh()
  await signUp(wanted)
  const code = await codeFor(wanted.email)
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      elsewhere(n % 2 ? anonymous : second.anonymous).post('/v1/signup/verify', {
        email: wanted.email,
        code,
      }),
    ),
  )
  assert.equal(answers.filter(({ status }) => status === 201).length, 1)
  for (const answer of answers) if (answer.status !== 201) refused(answer, 400, 'that code is wrong')
})

test('of 50 wrong guesses concurrently six are compared, and then the right one is too late (I-084, I-522, T-68)', async () => {
  const wanted = fresh()
  await signUp(wanted)
  const code = await codeFor(wanted.email)
  const guesses = await Promise.all(Array.from({ length: 50 }, () => verify(wanted.email, otherThan(code))))
  const said = (sentence: string) => guesses.filter(({ body }) => body.detail === sentence).length
  const burned = 'that code was tried six times: ask for another'
  assert.deepEqual([said('that code is wrong'), said(burned)], [6, 44])
  refused(await verify(wanted.email, code), 400, burned)
})

test('the values are judged before anything about the address (I-526, ID-08, ID-13, ID-14, ID-135)', async () => {
  refused(await signUp({ ...fresh(), password: 'short' }), 400, 'a password is at least 8 characters')
  refused(
    await signUp({ ...fresh(), org: 'Not A Slug' }),
    400,
    "an org's name is lower-case letters, digits and dashes, at most 40",
  )
  refused(await signUp({ ...fresh(), email: 'nonsense' }), 400, 'that is not an email address')
  refused(await signUp({ ...fresh(), person: 'a\nb' }), 400, 'a name is one line of 1 to 100 characters')
  refused(await signUp({ org: 'x' }), 422, 'email: is required')
})

test('at most five letters an hour go to one address; the answers stay the same and the current code valid (ID-126)', async () => {
  const wanted = fresh()
  let code = ''
  for (let n = 0; n < 5; n += 1) {
    assert.equal((await signUp(wanted)).status, 202)
    code = await codeFor(wanted.email)
  }
  const before = mail.letters().length
  assert.equal((await signUp(wanted)).status, 202)
  assert.equal((await elsewhere().post('/v1/signup/resend', { email: wanted.email })).status, 202)
  assert.equal((await verify(wanted.email, code)).status, 201)
  assert.equal(mail.letters().length, before)
})

test('20 requests a minute from one place over the three endpoints, whatever the address (I-348, ID-125, T-11)', async () => {
  const place = anonymous.with({ 'x-forwarded-for': '203.0.113.77' })
  for (let n = 0; n < 20; n += 1) {
    const { status } = await place
      .with({ 'x-svc-client': `192.0.2.${n}` })
      .post('/v1/signup/resend', { email: `nobody-${n}@example.com` })
    assert.equal(status, 202)
  }
  refused(
    await place.post('/v1/signup', fresh()),
    429,
    'too many attempts for 203.0.113.77: try again in a minute',
  )
})

test('with a page in front, sign-up takes its key alone and counts the client that the page names (I-346, I-347, I-474, ID-31, ID-123, ID-125)', async () => {
  const key = 'page-key-0123456789'
  const fronted = await deployment.another({ SVC_SIGNUP_KEY: key })
  for (const client of [fronted.anonymous, fronted.anonymous.as('another')])
    for (const path of ['/v1/signup', '/v1/signup/verify', '/v1/signup/resend'])
      refused(await client.post(path, {}), 401, 'sign-up takes the key of the page in front')
  const page = fronted.anonymous.as(key)
  const ask = (client: string) =>
    page.with({ 'x-svc-client': client }).post('/v1/signup/resend', { email: 'x@example.com' })
  for (let n = 0; n < 20; n += 1) assert.equal((await ask('192.0.2.200')).status, 202)
  refused(await ask('192.0.2.200'), 429, 'too many attempts for 192.0.2.200: try again in a minute')
  assert.equal((await ask('192.0.2.201')).status, 202)
  assert.equal((await ask('not an address')).status, 202)
  const tables = await sql(`select table_name from information_schema.tables where table_schema = 'public'`)
  for (const { table_name } of tables.rows)
    assert.equal(JSON.stringify((await sql(`select t::text from ${table_name} t`)).rows).includes(key), false)
})

test('shut it is 404 and names the setting, before the key and the body (I-344, I-345, I-500, ID-05, ID-123)', async () => {
  const shut = await deployment.another({ SVC_SIGNUP: '', SVC_SIGNUP_KEY: 'x'.repeat(20) })
  for (const path of ['/v1/signup', '/v1/signup/verify', '/v1/signup/resend'])
    refused(
      await shut.anonymous.post(path, []),
      404,
      'sign-up is shut on this deployment: the operator opens it with SVC_SIGNUP',
    )
})

test("a deployment that cannot mail takes none, and an org's own mailbox does not count (I-026, I-357, I-422, I-515, ID-05, ID-124, T-72)", async () => {
  await using mute = await startDeployment({ SVC_SIGNUP: '1' })
  const { client } = await (await mute.newOrg()).person('admin')
  await client.put('/v1/org/mail', {
    host: 'mail.example.com',
    port: 587,
    security: 'starttls',
    from: 'a@example.com',
  })
  for (const path of ['/v1/signup', '/v1/signup/verify', '/v1/signup/resend'])
    refused(await mute.anonymous.post(path, []), 503, 'this deployment cannot mail, so it takes no sign-up')
  assert.equal((await mute.anonymous.get('/.well-known/svc')).body.mail, false)
})
