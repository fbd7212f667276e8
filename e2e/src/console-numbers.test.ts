import assert from 'node:assert/strict'
import { screenSentence } from '@switchroom/console/api/screen-sentences'
import { newLine } from '@switchroom/gateway/testing/telephony/number-fixture'
import { until } from '@switchroom/gateway/testing/until'
import type { Page } from 'playwright-core'
import { assertUsable, openPage, picture, test } from './browser.ts'
import { assertGood } from './good-pages.ts'
import { openNumberDeployment } from './number-screens.ts'

const { numbers, newOrg } = await openNumberDeployment()
const { carrier, deployment } = numbers
const { url } = deployment

test('a number of an account added in the console is previewed, then imported, then its call path shows what is missing', async () => {
  const { org, key } = await newOrg()
  const number = newLine()
  const account = carrier.account(number)
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.goto('/numbers')
  await page.getByText('No numbers yet').waitFor()
  await page.getByRole('link', { name: 'carrier account' }).click()

  await page.getByRole('button', { name: 'Add account' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name', { exact: true }).fill('Main')
  await dialog.getByLabel('Account SID').fill(account.sid)
  await dialog.getByLabel('User', { exact: true }).fill(account.login.user)
  await dialog.getByLabel('Secret').fill('not the secret')
  await dialog.getByRole('button', { name: 'Test and add' }).click()
  await dialog.getByRole('alert').waitFor()
  await dialog.getByLabel('Secret').fill(account.login.secret)
  await dialog.getByRole('button', { name: 'Test and add' }).click()
  await page.getByRole('row', { name: 'Main' }).waitFor()

  await page.goto('/numbers/import')
  await page.getByRole('radio', { name: number }).check()
  await page.getByRole('combobox', { name: 'Agent' }).fill('desk')
  const written = carrier.writes.length
  await page.getByRole('button', { name: 'Preview' }).click()
  const steps = page.getByRole('list', { name: 'Planned changes' })
  await steps.getByText(`route ${number} to desk`).waitFor()
  await picture(page, 'import-preview')
  assert.equal(await steps.getByText('to do').count(), await steps.getByRole('listitem').count())
  assert.equal(carrier.writes.length, written, 'a preview changes nothing')
  assert.deepEqual(await org.list(), [])

  await page.getByRole('button', { name: 'Import number' }).click()
  await page.getByRole('heading', { name: number, exact: true }).waitFor()
  const way = page.getByRole('list', { name: 'Call path' })
  await way.getByText('No app holds desk in sandbox.', { exact: true }).waitFor()
  await way.getByText('connect an app that declares desk in sandbox').waitFor()
  await way.getByText('Agent: not working').waitFor()
  const app = await org.holdingApp()
  await way.getByText('an app holds desk in sandbox').waitFor()
  assert.equal(await way.getByText(/: working$/).count(), 4)
  await app.close()

  await page.getByRole('button', { name: 'Release number' }).click()
  await dialog.getByRole('button', { name: 'Release number' }).click()
  await page.getByText('No numbers yet').waitFor()
  assert.deepEqual(await org.list(), [])
  assert.deepEqual(opened.broken, [])
})

test('a number on another trunk is refused with the name of the trunk, and imported once the person chooses to move it', async () => {
  const { org, key } = await newOrg()
  const number = newLine()
  const account = await org.account(number)
  const trunk = account.addTrunk('PBX', 'sip:pbx.example:5060')
  account.numbers[0]!.trunk_sid = trunk.sid // the account has one number
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.goto('/numbers/import')
  await page.getByRole('radio', { name: number }).check()
  await page.getByRole('combobox', { name: 'Agent' }).fill('desk')
  await page.getByRole('button', { name: 'Preview' }).click()
  const sentence = `${number} is on the trunk PBX of the same account, which points at sip:pbx.example:5060: send move to take it off there first`
  await page.getByRole('alert').getByText(screenSentence(sentence)).waitFor()
  await assertUsable(page)
  await page.getByLabel('Move it from that trunk').check()
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('button', { name: 'Import number' }).click()
  await page.getByRole('heading', { name: number, exact: true }).waitFor()
  assert.equal((await org.list())[0].route.number, number)
})

test('a number is bought after a preview that named it and bought nothing', async () => {
  const { org, key } = await newOrg()
  const number = newLine()
  carrier.forSale.set('US', [number])
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.goto('/numbers/import')
  await page.getByRole('radio', { name: 'Buy a number' }).check()
  await page.getByRole('combobox', { name: 'Agent' }).fill('desk')
  const written = carrier.writes.length
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('list', { name: 'Planned changes' }).getByText(`carrier number ${number}`).waitFor()
  assert.equal(carrier.writes.length, written, 'a preview buys nothing')
  await picture(page, 'buy-preview')
  await page.getByRole('button', { name: 'Buy number' }).click()
  await page.getByRole('heading', { name: number, exact: true }).waitFor()
  await page.getByText('Bought by the platform').waitFor()
  assert.deepEqual(
    (await org.list()).map(({ origin }: { origin: string }) => origin),
    ['bought'],
  )
  assert.equal(numbers.own.numbers.at(-1)?.phone_number, number)
  assert.deepEqual(opened.broken, [])
})

test('a number is searched and chosen in the console, bought with the address and bundle it needs, and given back to the carrier', async () => {
  const { org, key } = await newOrg()
  const { own } = numbers
  const [first, chosen] = [newLine(), newLine()]
  carrier.forSale.set('DE', [first, chosen])
  for (const number of [first, chosen])
    carrier.terms.set(number, { type: 'mobile', address: 'local', locality: 'Berlin' })
  carrier.regulated.add('DE mobile')
  const address = own.addAddress('DE', 'Head office')
  const bundle = own.addBundle('DE', 'mobile', 'twilio-approved', 'Papers')
  own.addBundle('DE', 'mobile', 'pending-review', 'Later')
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.goto('/numbers/import')
  await page.getByRole('radio', { name: 'Buy a number' }).check()
  await page.getByLabel('Country').fill('DE')
  await page.getByLabel('Type').selectOption('Mobile')
  await page.getByRole('combobox', { name: 'Agent' }).fill('desk')
  await page.getByRole('button', { name: 'Search numbers' }).click()
  await page.getByRole('radio', { name: chosen }).check()
  await page.getByText('Select an address: this number needs one.').waitFor()
  await page.getByLabel('Address', { exact: true }).selectOption('Head office (Berlin, DE)')
  assert.equal(await page.getByRole('option', { name: 'Later (pending-review)' }).isDisabled(), true)
  assert.equal(await page.getByRole('radio', { name: chosen }).isChecked(), true)
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('button', { name: 'Buy number' }).click()
  const sentence =
    'the carrier says: Bundle required and not provided (code 21649, see https://www.twilio.com/docs/errors/21649)'
  await page.getByRole('alert').getByText(screenSentence(sentence).replace(/\.$/, '')).waitFor()
  await page.getByLabel('Bundle').selectOption('Papers')
  await assertUsable(page)
  await picture(page, 'buy-choice')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('button', { name: 'Buy number' }).click()
  await page.getByRole('heading', { name: chosen, exact: true }).waitFor()
  const bought = own.numbers.find(({ phone_number }) => phone_number === chosen)
  assert.deepEqual([bought?.address_sid, bought?.bundle_sid], [address.sid, bundle.sid])

  await page.getByRole('button', { name: 'Release number' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Give it back to the carrier').check()
  await assertUsable(page)
  await dialog.getByRole('button', { name: 'Release number' }).click()
  await page.getByText('No numbers yet').waitFor()
  assert.ok(!own.numbers.includes(bought!))
  assert.deepEqual(await org.list(), [])
})

test('a number that an org points here itself rings after the operator approved its network in the console', async () => {
  const { org, key } = await newOrg()
  const { key: operator } = await newOrg({ operator: true })
  const number = newLine()
  await using theirs = await openPage({ url, key })
  const { page } = theirs
  await page.goto('/numbers/import')
  // Not `check`, which looks at once: the list of carriers may be shown at the same moment.
  await page.getByRole('radio', { name: 'From another carrier' }).click()
  await page.getByRole('radio', { name: 'From another carrier', checked: true }).waitFor()
  await page.getByLabel('Number', { exact: true }).fill(`${number.slice(0, 5)} ${number.slice(5)}`)
  await page.getByLabel('Networks').fill('8.8.4.0/24')
  await page.getByRole('combobox', { name: 'Agent' }).fill('desk')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('button', { name: 'Import number' }).click()
  await page.getByText('no network it comes from is approved: 8.8.4.0/24 is waiting').waitFor()

  await assertGood(
    { url, key: operator },
    { path: '/numbers/approvals', name: 'approvals', ready: (at) => at.getByText('8.8.4.0/24').waitFor() },
  )
  await using ours = await openPage({ url, key: operator })
  await ours.page.goto('/numbers/approvals')
  const approveNetwork = ours.page.getByRole('button', { name: 'Approve 8.8.4.0/24' })
  await approveNetwork.click()
  await approveNetwork.waitFor({ state: 'detached' })
  const approveNumber = ours.page.getByRole('button', { name: `Approve ${number}` })
  await approveNumber.click()
  await approveNumber.waitFor({ state: 'detached' })

  await page.getByText('calls of it are let in from 8.8.4.0/24').waitFor()
  assert.equal((await org.path(number)).steps[1].state, 'ok')
  assert.deepEqual([theirs.broken, ours.broken], [[], []])
})

test('a number is moved to the other environment, shows the changes, and is listed there', async () => {
  const { org, key } = await newOrg()
  const number = newLine()
  await org.account(number)
  await org.imported({ number })
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.goto(`/numbers/${number}`)
  await page.getByRole('button', { name: 'Move to production' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Move number' }).click()
  await page.getByRole('heading', { name: 'Moved to production' }).waitFor()
  const steps = page.getByRole('list', { name: `Changes for ${number}` })
  await until('the list of this environment is read again', async () => (await org.list()).length === 0)
  assert.ok((await steps.getByRole('listitem').count()) > 0)
  await assertUsable(page)
  await page.getByRole('link', { name: 'Go to production' }).click()
  await page.getByRole('list', { name: 'Call path' }).waitFor()
  await page.getByRole('button', { name: 'Move to sandbox' }).waitFor()
  assert.deepEqual(opened.broken, [])
})

test('the screens of numbers fit a phone and a wide screen, and are accessible', async () => {
  const { org, key } = await newOrg()
  const [first, second] = [newLine(), newLine()]
  await org.account(first)
  await org.imported({ number: first })
  await org.imported({ number: second, hooked: true })
  await org.peer('pbx', '8.8.8.0/24')
  const shows = (text: string) => (page: Page) => page.getByText(text).first().waitFor()
  await assertGood(
    { url, key },
    { path: '/numbers', name: 'numbers', ready: shows(first) },
    { path: `/numbers/${first}`, name: 'number', ready: shows('the carrier sends its calls here') },
    { path: '/numbers/import', name: 'import', ready: shows(first) },
    { path: '/numbers/carriers', name: 'carriers', ready: shows('8.8.8.0/24') },
    { path: '/numbers/outbound', name: 'outbound', ready: shows('Dials per day') },
    { path: '/numbers/dial', name: 'dial', ready: shows('Your number') },
  )
})
