import assert from 'node:assert/strict'
import { goTo } from '@switchroom/gateway/testing/telephony/dial-fixture'
import { screenSentence } from '@switchroom/console/api/screen-sentences'
import { newLine } from '@switchroom/gateway/testing/telephony/number-fixture'
import { done } from '@switchroom/gateway/testing/agents/test-agents'
import { until } from '@switchroom/gateway/testing/until'
import { assertUsable, openPage, picture, test } from './browser.ts'
import { assertGood } from './good-pages.ts'
import { openNumberDeployment } from './number-screens.ts'

const { numbers, newOrg } = await openNumberDeployment()
const { deployment } = numbers
const { url, sql } = deployment

test('outbound calls are set up after a preview, placed after a check, also with a consent, and listed in the dial log', async () => {
  const { org, key, client } = await newOrg()
  const number = newLine()
  await org.account(number)
  await org.imported({ number }, 'production')
  const app = await org.holdingApp('production')
  await using opened = await openPage({ url, key, env: 'production' })
  const { page } = opened
  await page.goto('/numbers/outbound')
  await page.getByText('Setup incomplete').waitFor()
  await page.getByRole('button', { name: 'Preview setup' }).click()
  await page.getByText('Calls would be placed through').waitFor()
  await picture(page, 'outbound-preview')
  await page.getByRole('button', { name: 'Set up outbound calls' }).click()
  await page.getByText('Calls can be placed').waitFor()

  const contact = '+34600123456'
  const makeKnown = (caller: string) =>
    sql(`insert into known_contacts (org, env, contact, first_at) values ($1, 'production', $2, now())`, [
      org.id,
      caller,
    ])
  await page
    .getByRole('navigation', { name: 'Numbers' })
    .getByRole('link', { name: 'Dial', exact: true })
    .click()
  await page.getByRole('combobox', { name: 'Agent' }).fill('desk')
  await page.getByLabel('Call', { exact: true }).fill(contact)
  await page.getByRole('button', { name: 'Check' }).click()
  const refusal = `${contact} never called or wrote to this org in production, and new contacts are dialled only if the operator set dial_anywhere`
  await page.getByRole('status').getByText(screenSentence(refusal)).waitFor()
  await page.getByRole('button', { name: 'Call anyway' }).click()
  await page.getByRole('alert').getByText(screenSentence(refusal)).waitFor()
  await assertUsable(page)
  await picture(page, 'dial-refused')
  await makeKnown(contact)
  await page.getByRole('button', { name: 'Check' }).click()
  await page.getByRole('button', { name: 'Call now' }).click()
  await page.getByRole('heading', { name: `Call with ${contact}` }).waitFor()

  const american = '+12125550123'
  await makeKnown(american)
  goTo(deployment.clock, 17) // noon where the number is
  await page.goto(`/numbers/dial?agent=desk&to=${encodeURIComponent(american)}`)
  await page.getByRole('button', { name: 'Check' }).click()
  await page
    .getByRole('status')
    .getByText(`no_consent: ${american} has no consent on file, and none was sent with the dial`)
    .waitFor()
  await page.getByLabel('They consented to be called').check()
  await page.getByLabel('Source').fill('On the phone')
  await picture(page, 'dial-consent')
  await page.getByRole('button', { name: 'Call now' }).click()
  await page.getByRole('heading', { name: `Call with ${american}` }).waitFor()
  const { rows } = done(await client.get(`/v1/org/consents/${american}`))
  assert.deepEqual([rows[0].source, rows[0].call], ['On the phone', page.url().split('/').at(-1)])

  await page.goto('/numbers/ledger')
  const dials = page.getByRole('table', { name: 'Outbound calls, newest first' })
  await dials.getByText('Refused', { exact: true }).waitFor()
  assert.deepEqual(
    [await dials.getByText('Placed', { exact: true }).count(), await dials.getByRole('row').count()],
    [2, 4],
  )
  await app.close()
  await assertGood(
    { url, key, env: 'production' },
    { path: '/numbers/ledger', name: 'dial-log', ready: (at) => at.getByRole('table').waitFor() },
  )
  assert.deepEqual(opened.broken, [])
})

test('a consent and an opt-out are recorded by hand, numbers are added to the do-not-call list, and lines that are not numbers stay in the field', async () => {
  const { key, client } = await newOrg()
  const number = '+12125550147'
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.goto('/numbers/consent')
  await page.getByLabel('Number', { exact: true }).fill('+1 (212) 555-0147')
  await page.getByRole('button', { name: 'Look up' }).click()
  await page.getByText('No record', { exact: true }).waitFor()
  await page.getByLabel('Source').fill('Form on the web site')
  await page.getByRole('button', { name: 'Record consent' }).click()
  await page.getByText('Consent given').waitFor()
  await page.getByRole('button', { name: 'Record opt-out' }).click()
  await page.getByText('On the do-not-call list', { exact: true }).waitFor()
  const { standing, rows } = done(await client.get(`/v1/org/consents/${number}`))
  assert.deepEqual(
    [standing, rows.map(({ fact, source }: { fact: string; source: string }) => [fact, source])],
    [
      'opted_out',
      [
        ['opt_out', null],
        ['consent', 'Form on the web site'],
      ],
    ],
  )
  await assertUsable(page)

  await page.goto('/numbers/do-not-call')
  await page.getByRole('textbox', { name: 'Numbers' }).fill('+1 212 555 0148\nnot a number\n+12125550149')
  await page.getByLabel('Source').fill('Registry')
  await page.getByRole('button', { name: 'Add to list' }).click()
  await page.getByText('2 added.').waitFor()
  assert.equal(await page.getByRole('textbox', { name: 'Numbers' }).inputValue(), 'notanumber')
  const listed = page.getByRole('table', { name: 'Do-not-call list, newest first' })
  for (const one of [number, '+12125550148', '+12125550149']) await listed.getByText(one).waitFor()
  assert.deepEqual(opened.broken, [])
  await assertGood(
    { url, key },
    { path: '/numbers/do-not-call', name: 'do-not-call', ready: (at) => at.getByText(number).waitFor() },
    {
      path: `/numbers/consent?number=${encodeURIComponent(number)}`,
      name: 'consent',
      ready: (at) => at.getByText('Form on the web site').waitFor(),
    },
  )
})

test('a person verifies their phone with the code sent to it, and with no other code', async () => {
  const { key } = await newOrg()
  const number = '+442079460018'
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.goto('/numbers/dial')
  await page.getByLabel('Your number').fill('+44 20 7946 0018')
  await page.getByRole('button', { name: 'Send code' }).click()
  await page.getByText(`The six-digit code sent to ${number}.`).waitFor()
  const code = /\d{6}/.exec(numbers.own.texts.findLast(({ to }) => to === number)?.body ?? '')?.[0] ?? ''
  await page.getByLabel('Code').fill(code === '000000' ? '000001' : '000000')
  await page.getByRole('button', { name: 'Verify' }).click()
  await page
    .getByRole('alert')
    .getByText('that code is wrong, expired or tried too often: ask for another')
    .waitFor()
  await page.getByLabel('Code').fill(code)
  await page.getByRole('button', { name: 'Verify' }).click()
  await page.getByText('Verified', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('button', { name: 'Send code' }).waitFor()
  assert.deepEqual(opened.broken, [])
})

test('calling limits are saved, and an invalid value shows the gateway’s refusal', async () => {
  const { key, client } = await newOrg()
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.goto('/numbers/outbound')
  await page.getByLabel('Limit calling hours').check()
  await page.getByLabel('From', { exact: true }).fill('9 o’clock')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').waitFor()
  const said = await client.put('/v1/org/policy', { calling_hours: { start: '9 o’c', end: '18:00' } })
  assert.equal(await page.getByRole('alert').textContent(), screenSentence(said.body.detail))
  await page.getByLabel('From', { exact: true }).fill('10:00')
  await page.getByLabel('Sunday').uncheck()
  await page.getByLabel('Dials per number and day').fill('2')
  await page.getByRole('button', { name: 'Save' }).click()
  const policy = await until('it is saved', async () => {
    const saved = done(await client.get('/v1/org/policy'))
    return saved.per_number_day === 2 && saved
  })
  assert.deepEqual(policy.calling_hours, {
    start: '10:00',
    end: '18:00',
    days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat'],
  })
})
