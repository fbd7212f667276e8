import assert from 'node:assert/strict'
import { after } from 'node:test'
import { newDomain, startSsoDeployment } from '@switchroom/gateway/testing/people/sso'
import { assertUsable, openPage, test } from './browser.ts'

const deployment = await startSsoDeployment({ SVC_BASE_URL: 'http://switchroom.test' })
after(() => deployment[Symbol.asyncDispose]())
const { dns, url } = deployment

test('a domain is verified while the provider form is edited, and no typed text is lost', async () => {
  const { admin, body } = await deployment.ssoOrg()
  const domain = newDomain()
  const put = await admin.client.put('/v1/org/sso', { ...body, domains: [domain] })
  await using opened = await openPage({ url, key: admin.key })
  const { page } = opened
  await page.goto('/single-sign-on')
  await page.getByLabel('Client secret').fill('another secret')
  await page.getByLabel('Default role').selectOption('qa')
  const read = page.getByRole('button', { name: `Verify ${domain}` })
  await read.click()
  const record = put.body.proofs[0].txt
  await page.getByRole('alert').getByText(`${domain} holds no TXT record and not ${record}`).waitFor()
  dns.set(domain, { TXT: [record] })
  await read.click()
  await page.getByText(`${domain} is verified`).first().waitFor()
  assert.equal(await page.getByLabel('Client secret').inputValue(), 'another secret')
  assert.equal(await page.getByLabel('Default role').inputValue(), 'qa')
  await assertUsable(page)
  await page.getByRole('button', { name: 'Delete provider' }).click()
  await page.getByRole('button', { name: 'Yes, delete the provider' }).click()
  await page.getByText('Provider deleted. Password sign-in works again.').waitFor()
  assert.deepEqual(opened.broken, [])
})

test('single sign-on is offered for the address of its domain, and not for another address typed later', async () => {
  const { domain, slug } = await deployment.ssoOrg()
  await using opened = await openPage({ url })
  const { page } = opened
  await page.goto('/')
  await page.getByLabel('Email').fill(`ana@${domain}`)
  await page.getByLabel('Password').focus()
  const provider = page.getByRole('link', { name: `Single sign-on: Org ${slug}` })
  await provider.waitFor()
  await page.getByLabel('Email').fill('ana@elsewhere.example')
  await provider.waitFor({ state: 'detached' })
  await page.getByLabel('Email').fill(`ana@${domain}`)
  await provider.waitFor()
  assert.deepEqual(opened.broken, [])
})

test('a browser that comes back from the provider is signed in after a click, and its code signs in no other browser', async () => {
  const org = await deployment.ssoOrg({ role: 'qa' })
  const email = `ana@${org.domain}`
  await using opened = await openPage({ url })
  await using stranger = await openPage({ url })
  const { page, context } = opened
  const comeBack = async () => {
    const begun = await context.request.get(`/v1/login/sso?org=${org.slug}`, { maxRedirects: 0 })
    const query = await deployment.provider.signIn(begun.headers()['location'] ?? '', { email, name: 'Ana' })
    return new URL(org.redirect_uri).pathname + query
  }
  const back = await context.request.get(await comeBack(), { maxRedirects: 0 })
  await stranger.page.goto(back.headers()['location'] ?? '')
  await stranger.page
    .getByRole('alert')
    .getByText('this sign-in began in another browser: sign in again in this one')
    .waitFor()

  await page.goto(await comeBack())
  await page.getByText(`Sign in to this browser as Ana (${email}) in ${org.slug}?`).waitFor()
  await page.getByRole('button', { name: 'Sign in as Ana' }).click()
  await page.getByText('Ana', { exact: true }).first().waitFor()
  assert.equal(new URL(page.url()).search, '')
  assert.match(await page.evaluate<string>(`localStorage.getItem('svc.key')`), /^svc_live_/)
  assert.deepEqual([...opened.broken, ...stranger.broken], [])
})
