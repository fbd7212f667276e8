import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fleetKey, type Deployment } from '../../../testing/deployment.ts'
import { done, TestAgent } from '../../../testing/agents/test-agents.ts'
import { startTrialDeployment } from '../../../testing/providers/trial-vendors.ts'
import { VendorFolder } from '../../../testing/providers/vendor-packages.ts'
import { minuteMs, secondMs } from '../../foundation/clock.ts'

const trial = await startTrialDeployment()
after(() => trial[Symbol.asyncDispose]())
const { deployment } = trial
const org = await deployment.newOrg()

/** The lines of the metric as they are scraped, without a key. */
async function scraped({ metrics }: Deployment): Promise<string[]> {
  const { status, text } = await metrics.get('/metrics')
  assert.equal(status, 200)
  return text.split('\n').filter((line) => line.startsWith('svc_vendor_failing'))
}

const line = (vendor: string, value: number) => `svc_vendor_failing{vendor="${vendor}"} ${value}`

test('the first scrape has one line for every installed vendor, the broken too, and nothing but its name (S-394, SD-55, ST-089)', async () => {
  using broken = new VendorFolder().add({ name: 'unread' })
  const folders = [...deployment.settings.vendorFolders, broken.path]
  await using fresh = await deployment.another({ SVC_VENDOR_FOLDERS: folders.join(',') })
  const lines = await scraped(fresh)
  const { key } = await org.person('manager')
  const { providers } = done(await fresh.anonymous.as(key).get('/v1/providers'))
  const installed: string[] = providers.map(({ name }: { name: string }) => name)
  for (const name of ['alpha', 'local', 'unread']) assert.ok(installed.includes(name), name)
  assert.deepEqual(
    lines.toSorted(),
    installed.map((name) => line(name, 0)),
  )
})

test('a vendor reads 1 while half or more of at least five calls of two minutes saw it fail, all others 0 (S-395, S-469, SD-54, SD-55, ST-085)', async () => {
  const agent = new TestAgent((await org.serverToken('sandbox')).client)
  const fleet = deployment.anonymous.as(fleetKey).with({ 'svc-org': org.slug })
  const { vendorWindow } = deployment.gateway.services
  const failing = async () => (await scraped(deployment)).filter((metric) => !metric.endsWith(' 0'))
  const table = [
    { handed: 4, failed: 4, isOver: false },
    { handed: 5, failed: 2, isOver: false },
    { handed: 5, failed: 3, isOver: true },
    { handed: 8, failed: 3, isOver: false },
    { handed: 8, failed: 4, isOver: true },
  ]
  for (const { handed, failed, isOver } of table) {
    deployment.clock.forward(2 * minuteMs) // the calls of the row before are forgotten
    const calls = Array.from({ length: handed }, (_, n) => `${agent.slug}-${handed}-${failed}-${n}`)
    for (const call of calls) assert.equal(done(await agent.keys(fleet, call)).stages.llm.vendor, 'alpha')
    for (const call of calls.slice(0, failed)) vendorWindow.failed('alpha', call) // as its log would report
    assert.deepEqual(await failing(), isOver ? [line('alpha', 1)] : [], `${failed} of ${handed}`)
  }
  deployment.clock.forward(2 * minuteMs - 10 * secondMs)
  assert.deepEqual(await failing(), [line('alpha', 1)])
  deployment.clock.forward(10 * secondMs)
  assert.deepEqual(await failing(), [])
})
