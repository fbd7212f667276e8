import assert from 'node:assert/strict'
import { after } from 'node:test'
import { done } from '@switchroom/gateway/testing/agents/test-agents'
import { fleetKey, startDeployment } from '@switchroom/gateway/testing/deployment'
import { PlacingOrg } from '@switchroom/gateway/testing/telephony/placing-fixture'
import { until } from '@switchroom/gateway/testing/until'
import { assertUsable, openPage, picture, test } from './browser.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const placingOrg = await PlacingOrg.open(deployment)
await placingOrg.account('backup', 'sip.backup.example')
const { key } = await placingOrg.org.person('admin', { production: true })
const { url } = deployment
const { from } = placingOrg

/** A worker that reports this of the next test. */
async function reports(steps: object[]): Promise<void> {
  const fleet = deployment.anonymous.as(fleetKey).in('production')
  const { id } = await until('a test is to be run', async () => {
    const { body } = await fleet.post('/v1/worker/placements', { worker: 'w1', wait_s: 0, tests: true })
    return body.test
  })
  done(await fleet.post(`/v1/worker/trunk-tests/${id}`, { worker: 'w1', steps }))
}

test('a trunk is tested from the page of the carriers, and the step that fails says what to do', async () => {
  await using opened = await openPage({ url, key, env: 'production' })
  const { page } = opened
  await page.goto('/numbers/carriers')
  await page.getByRole('button', { name: 'Test peer' }).click()
  const dialog = page.getByRole('dialog')
  const fix = 'name the host in outbound_host that the certificate is for'
  await Promise.all([
    dialog.getByRole('button', { name: 'Test trunk' }).click(),
    reports([
      { step: 'location', state: 'ok', says: 'sip.peer.example is at 8.8.8.8:5061', fix: null, took_ms: 4 },
      { step: 'connection', state: 'failed', says: 'the certificate does not match', fix, took_ms: 31 },
    ]),
  ])
  const steps = dialog.getByRole('list', { name: 'Steps of the test' })
  await steps.getByText('The certificate does not match. (31 ms)').waitFor()
  await steps.getByText(fix).waitFor()
  await dialog.getByRole('status').getByText('The trunk at sip.peer.example does not work.').waitFor()
  assert.equal(await steps.getByText('Failed').count(), 1)
  await assertUsable(page)
  await picture(page, 'trunk-test')
})

test('fallback accounts are added and removed on the page of a number', async () => {
  await using opened = await openPage({ url, key, env: 'production' })
  const { page } = opened
  await page.goto(`/numbers/${encodeURIComponent(from)}`)
  await page.getByLabel('Fallback account').selectOption('backup')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  const order = page.getByRole('list', { name: 'Accounts in the order they are tried' })
  await order.getByText('backup').waitFor()
  const fallbacks = async () =>
    done(await placingOrg.client.get('/v1/numbers')).numbers.find(
      ({ route }: { route: { number: string } }) => route.number === from,
    ).fallback_accounts
  assert.deepEqual(await fallbacks(), ['backup'])
  await assertUsable(page)
  await picture(page, 'number-fallbacks')
  await page.getByRole('button', { name: 'Remove backup' }).click()
  await order.getByText('backup').waitFor({ state: 'detached' })
  assert.deepEqual(await fallbacks(), [])
})
