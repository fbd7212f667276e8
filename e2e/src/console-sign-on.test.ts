import assert from 'node:assert/strict'
import { after } from 'node:test'
import { newDomain, startSsoDeployment } from '@switchroom/gateway/testing/sso'
import { assertUsable, openPage, test } from './browser.ts'

const deployment = await startSsoDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { dns, url } = deployment

test('a domain is proven while the provider is being changed, and nothing that was typed is lost', async () => {
  const { admin, body } = await deployment.ssoOrg()
  const domain = newDomain()
  const put = await admin.client.put('/v1/org/sso', { ...body, domains: [domain] })
  await using opened = await openPage({ url, key: admin.key })
  const { page } = opened
  await page.goto('/single-sign-on')
  await page.getByLabel('Client secret').fill('another secret')
  await page.getByLabel('Seats newcomers as').selectOption('qa')
  const read = page.getByRole('button', { name: `Read the record of ${domain} now` })
  await read.click()
  const record = put.body.proofs[0].txt
  await page.getByRole('alert').getByText(`${domain} holds no TXT record and not ${record}`).waitFor()
  dns.set(domain, { TXT: [record] })
  await read.click()
  await page.getByText(`${domain} is proven`).first().waitFor()
  assert.equal(await page.getByLabel('Client secret').inputValue(), 'another secret')
  assert.equal(await page.getByLabel('Seats newcomers as').inputValue(), 'qa')
  await assertUsable(page)
  await page.getByRole('button', { name: 'Forget the provider' }).click()
  await page.getByRole('button', { name: 'Yes, forget the provider' }).click()
  await page.getByText('Passwords sign in again.').waitFor()
  assert.deepEqual(opened.broken, [])
})

test('the provider of an address is offered for that address, and not for another that is typed afterwards', async () => {
  const { domain, slug } = await deployment.ssoOrg()
  await using opened = await openPage({ url })
  const { page } = opened
  await page.goto('/')
  await page.getByLabel('Email').fill(`ana@${domain}`)
  await page.getByLabel('Password').focus()
  const provider = page.getByRole('link', { name: `Sign in with the provider of Org ${slug}` })
  await provider.waitFor()
  await page.getByLabel('Email').fill('ana@elsewhere.example')
  await provider.waitFor({ state: 'detached' })
  await page.getByLabel('Email').fill(`ana@${domain}`)
  await provider.waitFor()
  assert.deepEqual(opened.broken, [])
})
