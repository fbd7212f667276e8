import assert from 'node:assert/strict'
import { after } from 'node:test'
import { done } from '@switchroom/gateway/testing/agents/test-agents'
import { SpokenAgent } from '@switchroom/gateway/testing/calls/spoken-calls'
import { startDeployment, type TestOrg } from '@switchroom/gateway/testing/deployment'
import type { Page } from 'playwright-core'
import { assertFits, openPage, picture, test } from './browser.ts'
import { assertGood } from './good-pages.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { url } = deployment

interface Ran {
  hoursAgo: number
  reason?: string
  heardMs?: number
  errors?: number
}

async function run(agent: SpokenAgent, { hoursAgo, reason = 'hangup', heardMs, errors = 0 }: Ran) {
  const call = await agent.open()
  const entries = [
    { type: 'user.message', data: { text: `A question of ${hoursAgo} hours ago`, messageId: 'm' } },
    ...(heardMs === undefined ? [] : [{ type: 'metrics', data: { stage: 'turn', heard_ms: heardMs } }]),
    ...Array.from({ length: errors }, () => ({
      type: 'error',
      data: { code: 'llm_failed', detail: 'it failed' },
    })),
  ]
  done(await agent.append(call, entries))
  await deployment.sql(`update calls set opened_at = opened_at - $2 * interval '1 hour' where id = $1`, [
    call,
    hoursAgo,
  ])
  done(await agent.append(call, [{ type: 'call.ended', data: { reason } }]))
  await deployment.sql(`update calls set ended_at = opened_at + interval '90 seconds' where id = $1`, [call])
}

const count = () => deployment.gateway.services.callTotals.count()

async function busyOrg(): Promise<TestOrg> {
  const org = await deployment.newOrg()
  const agent = await new SpokenAgent(deployment, org, 'front-desk').route()
  await agent.holdingApp()
  for (let day = 0; day < 9; day += 1) await run(agent, { hoursAgo: 24 * day, heardMs: 500 + 40 * day })
  await run(agent, { hoursAgo: 24, errors: 1, heardMs: 1500 })
  await run(agent, { hoursAgo: 48, reason: 'no_answer' })
  const { client } = await org.serverToken('sandbox')
  done(await client.post('/v1/calls', { agent: 'front-desk' })) // without a worker that could be lost
  await count()
  return org
}

const figure = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Figures' }).getByRole('link', { name: new RegExp(`^${name}`) })

test('Home says what the calls came to against the period before; each figure leads to its calls', async () => {
  const { key } = await (await busyOrg()).person('admin')
  await using opened = await openPage({ url, key })
  const { page } = opened
  await page.goto('/sandbox/home')
  await figure(page, 'Calls').getByText('9', { exact: true }).waitFor()
  await figure(page, 'Live now').getByText('1', { exact: true }).waitFor()
  await figure(page, 'Errors').getByText('1', { exact: true }).waitFor()
  await figure(page, 'Calls').getByText('+350 % (2)').waitFor()
  await page.getByText('Table of Calls').click()
  assert.equal(await page.getByRole('table', { name: 'Calls' }).getByRole('row').count(), 8)
  await figure(page, 'Errors').focus()
  await page.keyboard.press('Enter')
  await page.getByText('With errors').waitFor()
  const calls = page.getByRole('region', { name: 'Calls, newest first' }).getByRole('link')
  await calls.getByText('1 error').waitFor()
  assert.equal(await calls.count(), 1)
  await page.goBack()
  await page.getByRole('table', { name: 'End reasons' }).getByRole('link', { name: 'no answer' }).click()
  await page.getByText('Opened').waitFor()
  await calls.first().waitFor()
  assert.equal(await calls.count(), 1)
  await page.getByRole('link', { name: 'Show all' }).click()
  await page.getByText('12 calls').waitFor()
  await page.goto('/sandbox/home?period=24h')
  await page.getByRole('table', { name: 'End reasons' }).waitFor()
  await page.getByLabel('Period').selectOption({ label: 'Last 90 days' })
  await figure(page, 'Calls').getByText('11', { exact: true }).waitFor()
  assert.match(page.url(), /period=90d/)
  assert.deepEqual(opened.broken, [])
})

test('Home is usable by everybody, empty, as usual and overflowing', async () => {
  const { key } = await (await deployment.newOrg()).person('admin')
  const ready = (page: Page) => page.getByText('No calls in this period').waitFor()
  await assertGood({ url, key }, { path: '/sandbox/home', name: 'home-empty', ready })
  const org = await busyOrg()
  const full = await org.person('admin')
  const charts = (page: Page) => page.getByRole('table', { name: 'End reasons' }).waitFor()
  await assertGood({ url, key: full.key }, { path: '/sandbox/home', name: 'home', ready: charts })
  await deployment.sql(
    `update call_totals set calls = 123456789, seconds = 9e12, errors = 98765432, credits = 12345678.9 where org = $1`,
    [org.id],
  )
  await assertGood(
    { url, key: full.key },
    { path: '/sandbox/home?period=90d', name: 'home-overflowing', ready: charts },
  )
  await using opened = await openPage({ url, key: full.key, width: 1920 })
  await opened.page.goto('/sandbox/home')
  await charts(opened.page)
  await assertFits(opened.page)
  await picture(opened.page, 'home')
})
