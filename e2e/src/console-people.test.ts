import assert from 'node:assert/strict'
import { after } from 'node:test'
import { startChatDeployment } from '@switchroom/gateway/testing/calls/chat-deployment'
import { password } from '@switchroom/gateway/testing/deployment'
import { screenSentence } from '@switchroom/console/api/screen-sentences'
import { until } from '@switchroom/launcher/testing/waiting'
import { assertUsable, openPage, picture, test } from './browser.ts'

const chats = await startChatDeployment()
after(() => chats[Symbol.asyncDispose]())
const { deployment } = chats
const { url, anonymous } = deployment

test('an admin invites a colleague and shares the link, and the colleague signs in with it', async () => {
  const org = await deployment.newOrg()
  const admin = await org.person('admin')
  await using adminTab = await openPage({ url, key: admin.key })
  await adminTab.page.goto('/team')
  await adminTab.page.getByRole('button', { name: 'Invite member' }).click()
  const dialog = adminTab.page.getByRole('dialog', { name: 'Invite member' })
  await dialog.getByLabel('Email').fill('ana@example.com')
  await dialog.getByLabel('Role').selectOption('supervisor')
  await dialog.getByRole('button', { name: 'Send invitation' }).click()
  const link = (await dialog.locator('code').textContent()) ?? ''
  await assertUsable(adminTab.page)
  await picture(adminTab.page, 'invited')
  await dialog.getByRole('button', { name: 'Close' }).click()
  await adminTab.page
    .getByRole('row', { name: /ana@example\.com/ })
    .getByText('invited')
    .waitFor()
  await adminTab.page.getByRole('button', { name: 'Invite member' }).click()
  await dialog.getByLabel('Email').fill('ana@example.com')
  await dialog.getByRole('button', { name: 'Send invitation' }).click()
  await dialog.getByRole('alert').getByText('ana@example.com is already a member').waitFor()

  await using colleagueTab = await openPage({ url })
  await colleagueTab.page.goto(new URL(link).pathname)
  await colleagueTab.page.getByLabel('Password').fill(password)
  await colleagueTab.page.getByRole('button', { name: 'Create account' }).click()
  await colleagueTab.page.getByText(`You are signed in to ${org.slug} as ana@example.com.`).waitFor()
  await colleagueTab.page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()
  assert.equal(await colleagueTab.page.getByRole('link', { name: 'Team', exact: true }).count(), 0)
  assert.ok(await colleagueTab.page.getByRole('radio', { name: 'Production' }).isDisabled())
  assert.deepEqual([...adminTab.broken, ...colleagueTab.broken], [])
})

test('a terminal is signed in by a person who opens its address and approves it', async () => {
  const org = await deployment.newOrg()
  const admin = await org.person('admin')
  const { body: waiting } = await anonymous.post('/v1/login/pairings', { device: 'ana-laptop' })
  await using opened = await openPage({ url })
  const { page } = opened
  await page.goto(`/cli?c=${waiting.code}`)
  await page.getByLabel('Email').fill(admin.email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByText('Approve it only if you just started it yourself.').waitFor()
  await assertUsable(page)
  await picture(page, 'terminal')
  await page.getByRole('button', { name: 'Approve terminal' }).click()
  await page.getByText('ana-laptop is signed in. You can close this page.').waitFor()
  const { status, body } = await anonymous.get(`/v1/login/pairings/${waiting.code}/key`)
  assert.deepEqual([status, body.org, body.label], [200, org.id, 'ana-laptop'])
  assert.deepEqual(opened.broken, [])
})

test('sign-out removes the key from the browser and revokes it', async () => {
  const org = await deployment.newOrg()
  const admin = await org.person('admin')
  await using opened = await openPage({ url })
  const { page } = opened
  await page.goto('/')
  await page.getByLabel('Email').fill(admin.email)
  await page.getByLabel('Password').fill('wrong')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('alert').getByText('Wrong email or password.').waitFor()
  await page.getByLabel('Password').fill(password)
  await page.getByLabel('Keep me signed in').check()
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()
  const kept = await page.evaluate<string>(`localStorage.getItem('svc.key')`)
  assert.match(kept, /^svc_live_/)
  await page.reload()
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  const stored = `JSON.stringify([{ ...localStorage }, { ...sessionStorage }])`
  assert.doesNotMatch(await page.evaluate<string>(stored), /svc_live_/)
  await until('the key is revoked', async () => (await anonymous.as(kept).get('/v1/whoami')).status === 401)
})

test('a login code signs in once and is removed from the address; a refusal is shown', async () => {
  const org = await deployment.newOrg()
  const admin = await org.person('admin')
  const { body } = await admin.client.post('/v1/login/codes')
  await using opened = await openPage({ url })
  const { page } = opened
  await page.goto(`/?login=${body.code}`)
  await page.getByRole('button', { name: 'Sign in as A admin' }).click()
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()
  assert.equal(new URL(page.url()).search, '')
  const spent = (await anonymous.post('/v1/login', { code: body.code })).body.detail
  await page.goto(`/?login=${body.code}`)
  await page.getByRole('alert').getByText(screenSentence(spent)).waitFor()
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()
  await using stranger = await openPage({ url })
  await stranger.page.goto('/?refused=' + encodeURIComponent('this org does not know that address'))
  await stranger.page.getByRole('alert').getByText('this org does not know that address').waitFor()
  assert.equal(new URL(stranger.page.url()).search, '')
  await stranger.page.goto(`/?login=${body.code}`)
  await stranger.page.getByRole('alert').getByText(screenSentence(spent)).waitFor()
  assert.deepEqual([...opened.broken, ...stranger.broken], [])
})

const keyIn = `sessionStorage.getItem('svc.key') ?? localStorage.getItem('svc.key')`

test("a link with another person's login code neither replaces an account nor signs in without a click", async () => {
  const org = await deployment.newOrg()
  const [ana, eve] = [await org.person('developer'), await org.person('admin')]
  const newCode = async () => (await eve.client.post('/v1/login/codes')).body.code as string
  await using opened = await openPage({ url, key: ana.key })
  const { page } = opened
  await page.goto(`/?login=${await newCode()}`)
  await page.getByText(`You are signed in as A developer (${ana.email}) in ${org.slug}.`).waitFor()
  await page.getByText(`Sign in as A admin (${eve.email}) in ${org.slug} instead?`).waitFor()
  assert.equal(await page.evaluate(keyIn), ana.key)
  await assertUsable(page)
  await picture(page, 'login-code')
  await page.reload()
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()
  assert.equal(await page.evaluate(keyIn), ana.key)

  await page.goto(`/?login=${await newCode()}`)
  await page.getByRole('button', { name: 'Stay signed in as A developer' }).click()
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()
  assert.deepEqual([await page.evaluate(keyIn), new URL(page.url()).search], [ana.key, ''])
  await until('the key of the link is revoked', async () => {
    const { rows } = await deployment.sql(
      `select revoked_at from keys where member = $1 and label <> 'laptop' order by ordinal desc limit 1`,
      [eve.id],
    )
    return rows[0]?.revoked_at !== null
  })

  await using stranger = await openPage({ url })
  await stranger.page.goto(`/?login=${await newCode()}`)
  await stranger.page.getByText(`Sign in to this browser as A admin (${eve.email}) in ${org.slug}?`).waitFor()
  assert.equal(await stranger.page.evaluate(keyIn), null)
  await stranger.page.getByRole('button', { name: 'Do not sign in' }).click()
  await stranger.page.getByLabel('Email').waitFor()
  assert.equal(await stranger.page.evaluate(keyIn), null)

  await page.goto(`/?login=${await newCode()}`)
  await page.getByRole('button', { name: 'Sign in as A admin' }).click()
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()
  const key = await page.evaluate<string>(keyIn)
  assert.equal((await anonymous.as(key).get('/v1/whoami')).body.subject, eve.id)
  assert.deepEqual([...opened.broken, ...stranger.broken], [])
})

test('the page that approves a terminal warns if its address is enough to collect the key', async () => {
  const ana = await (await deployment.newOrg()).person('developer')
  await using opened = await openPage({ url, key: ana.key })
  const { page } = opened
  const warning = page.getByText('anyone who has seen this address can collect its key')
  for (const [body, warnings] of [
    [{}, 1],
    [{ collect: 'a'.repeat(64) }, 0],
  ] as const) {
    const { code } = (await anonymous.post('/v1/login/pairings', body)).body
    await page.goto(`/cli?c=${code}`)
    await page.getByRole('button', { name: 'Approve terminal' }).waitFor()
    assert.equal(await warning.count(), warnings)
    await assertUsable(page)
  }
  assert.deepEqual(opened.broken, [])
})

test('a person in two orgs chooses one at sign-in, and switches to the other', async () => {
  const [first, second] = [await deployment.newOrg(), await deployment.newOrg()]
  const { email } = await first.person('admin')
  await second.join(email, 'qa')
  await using opened = await openPage({ url })
  const { page } = opened
  await page.goto('/')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByLabel('Organization', { exact: true }).selectOption(second.slug)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  const here = page.locator('.who')
  await here.getByText(second.slug).waitFor()
  await page.getByRole('button', { name: 'Switch org' }).click()
  await page.getByRole('button', { name: `Switch Org ${first.slug}` }).click()
  await here.getByText(first.slug).waitFor()
  assert.deepEqual(opened.broken, [])
})

test('the whole page is marked in production', async () => {
  const org = await deployment.newOrg()
  const admin = await org.person('admin')
  await using opened = await openPage({ url, key: admin.key })
  const { page } = opened
  await page.goto('/agents')
  await page.getByText('No agents in the sandbox yet').waitFor()
  await page.getByRole('radio', { name: 'Production' }).check()
  await page.getByText('No agents in production yet').waitFor()
  await page.locator('.frame.production').waitFor()
  await assertUsable(page)
  await picture(page, 'production')
})

test('an operator sets the brand, which everyone sees; an invalid color is refused beside its field', async () => {
  const org = await deployment.newOrg()
  const operator = await org.person('admin', { operator: true })
  await using opened = await openPage({ url, key: operator.key })
  const { page } = opened
  await page.goto('/platform/brand')
  await page.getByLabel('Name').fill('Voices & Co')
  await page.getByLabel('Accent color').fill('red')
  await page.getByRole('button', { name: 'Save brand' }).click()
  await page.getByRole('alert').getByText('accent').waitFor()
  await page.getByLabel('Accent color').fill('#7a1f5c')
  await page.getByRole('button', { name: 'Save brand' }).click()
  await page.getByRole('banner').getByText('Voices & Co').waitFor()
  await using stranger = await openPage({ url })
  await stranger.page.goto('/')
  await stranger.page.getByText('Voices & Co').waitFor()
  const accent = `getComputedStyle(document.documentElement).getPropertyValue('--accent')`
  await until('the accent is the brand’s', async () => (await stranger.page.evaluate(accent)) === '#7a1f5c')
  await assertUsable(stranger.page)
  await deployment.operator.put('/v1/ops/brand', { name: '', accent: '' })
})

test('an operator who changes a plan does not restore credits spent in the meantime', async () => {
  const org = await deployment.newOrg()
  const { key } = await org.person('admin', { operator: true })
  const at = `/v1/ops/orgs/${org.slug}/account`
  const account = { plan: 'free', subscribed: false, credits: 500 }
  await deployment.operator.put(at, account)
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.clock.install()
  await page.goto(`/platform/orgs/${org.slug}`)
  await page.getByLabel('Plan').selectOption('pro')
  await deployment.operator.put(at, { ...account, credits: 420 })
  await page.clock.fastForward(5000)
  await until(
    'the credits that are left are shown',
    async () => (await page.getByLabel('Credits').inputValue()) === '420',
  )
  await page.getByRole('button', { name: 'Save account' }).click()
  await page.getByText('Account saved.').waitFor()
  const { body } = await deployment.operator.get(at)
  assert.deepEqual(body, { ...account, plan: 'pro', credits: 420 })
  assert.deepEqual(opened.broken, [])
})

test('only an operator sees the platform screens (I-448)', async () => {
  const org = await deployment.newOrg()
  for (const [isOperator, key] of [
    [true, (await org.person('admin', { operator: true })).key],
    [false, (await org.person('admin')).key],
  ] as const) {
    await using opened = await openPage({ url, key })
    const { page } = opened
    await page.goto('/platform/orgs')
    if (isOperator) await page.getByRole('link', { name: `Org ${org.slug}` }).waitFor()
    else await page.getByText('You are not an operator').waitFor()
    assert.equal(
      await page.getByRole('link', { name: 'Organizations', exact: true }).count(),
      isOperator ? 1 : 0,
    )
  }
})

test('an operator views an org that they do not belong to, which every page shows, and switches back to their own', async () => {
  const [own, other] = [await deployment.newOrg(), await deployment.newOrg()]
  const operator = await own.person('admin', { operator: true })
  await other.person('admin')
  await using opened = await openPage({ url, key: operator.key })
  const { page } = opened
  await page.goto('/agents')
  const enter = async (org: { slug: string }, verb: string) => {
    await page.getByRole('button', { name: 'Switch org' }).click()
    const dialog = page.getByRole('dialog', { name: 'Switch organization' })
    await dialog.getByText('Current').waitFor()
    const find = dialog.getByLabel('Search')
    if ((await find.count()) > 0) await find.fill(org.slug)
    await picture(page, 'switch-org')
    await dialog.getByRole('button', { name: `${verb} Org ${org.slug}` }).click()
    await page.locator('.who').getByText(org.slug).waitFor()
  }
  await enter(other, 'View as operator')
  await page.locator('.who').getByText('Operator view').waitFor()
  await page.getByRole('link', { name: 'Team', exact: true }).click()
  const members = page.getByRole('table', { name: 'Members' })
  await members.getByRole('row').nth(1).waitFor()
  assert.equal(await members.getByText(operator.email).count(), 0, 'a visiting operator is not a member')
  await assertUsable(page)
  await enter(own, 'Switch')
  assert.equal(await page.locator('.who').getByText('Operator view').count(), 0)
  assert.deepEqual(opened.broken, [])
})

test('an admin finds who changed a role in the audit log, and the operator finds it across organizations', async () => {
  const org = await deployment.newOrg()
  const admin = await org.person('admin')
  const operator = await (await deployment.newOrg()).person('admin', { operator: true })
  const ana = await org.person('qa')
  await admin.client.patch(`/v1/members/${ana.id}`, { role: 'manager' })
  await using opened = await openPage({ url, key: admin.key })
  const { page } = opened
  await page.goto('/audit')
  await page.getByLabel('Action').selectOption('member.changed')
  const row = page.getByRole('row', { name: new RegExp(ana.email) })
  await row.getByText('role: qa → manager').waitFor()
  await row.getByText(admin.email).waitFor()
  await assertUsable(page)
  await picture(page, 'audit-log')
  await page.getByLabel('Target').fill('absent@example.com')
  await page.getByText('No matching entries').waitFor()

  await using platform = await openPage({ url, key: operator.key })
  await platform.page.goto('/platform/audit')
  await platform.page.getByLabel('Organization').fill(org.slug)
  await platform.page.getByLabel('Action').selectOption('member.changed')
  await platform.page
    .getByRole('row', { name: new RegExp(ana.email) })
    .getByText(org.slug)
    .waitFor()
  assert.deepEqual([...opened.broken, ...platform.broken], [])
})
