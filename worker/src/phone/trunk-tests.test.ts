import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import type { TellTrunkTest } from '@switchroom/contract/media-plane'
import { startBaresip } from '@switchroom/media/testing/baresip'
import { soundServer } from '@switchroom/media/testing/secure-call'
import { openFence, trunkTo } from '@switchroom/media/testing/sip-peer'
import { PrivateNetworks } from '@switchroom/process/private-networks'
import { missing } from '@switchroom/tools/debian-packages'
import { pino } from 'pino'
import { DialledAddresses } from './dialled-addresses.ts'
import { echo } from './test-legs.ts'
import { TrunkTests } from './trunk-tests.ts'

type Report = Omit<TellTrunkTest, 'worker'>

/** What a worker reports of a trunk at this port. */
async function tested(t: TestContext, port: number, to?: string): Promise<Report> {
  const { server } = await soundServer(t)
  const reports: Report[] = []
  const trunkTests = new TrunkTests({
    gateway: { tellTrunkTest: async (_id, report) => reports.push(report) },
    sip: server,
    addresses: new DialledAddresses([], new PrivateNetworks([])),
    dial: (...dialled) => server.invite(...dialled),
    logger: pino({ level: 'silent' }),
  })
  const call = to === undefined ? {} : { call: { to, from: '+34600111222' } }
  await trunkTests.run({ id: 'test_1', org: 'org_1', env: 'sandbox', trunk: trunkTo(port), ...call })
  const [report] = reports
  assert.ok(report)
  return report
}

const shortOf = ({ steps }: Report) => steps.map(({ step, state }) => `${step} ${state}`)

test('a trunk is tested without a call', async (t) => {
  const far = await soundServer(t, { fences: () => [openFence] })
  const report = await tested(t, far.server.port)
  assert.deepEqual(shortOf(report), ['location ok', 'connection skipped', 'options ok'])
  assert.equal(report.dial, undefined)
})

test('a call to a number that echoes brings our tone back and is hung up', async (t) => {
  const far = await soundServer(t, { fences: () => [openFence] })
  const echoing = (async () => {
    while (far.calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    const dialog = await far.calls[0]
    if (dialog) await echo(dialog)
  })()
  const report = await tested(t, far.server.port, '+34911222333')
  assert.deepEqual(shortOf(report), ['call ok', 'sound ok', 'hangup ok'], JSON.stringify(report))
  assert.match(report.steps[1]?.says ?? '', /^our tone came back after \d+ ms$/)
  assert.deepEqual(report.dial, { outcome: 'answered' })
  await echoing
})

test(
  'baresip says our tone back over the trunk',
  { skip: missing('baresip'), timeout: 60_000 },
  async (t) => {
    const phone = await startBaresip(t, '')
    const probed = await tested(t, phone.port)
    assert.deepEqual(
      shortOf(probed),
      ['location ok', 'connection skipped', 'options ok'],
      JSON.stringify(probed),
    )
    const report = await tested(t, phone.port, `sip:peer@127.0.0.1:${phone.port}`)
    assert.deepEqual(shortOf(report), ['call ok', 'sound ok', 'hangup ok'], JSON.stringify(report))
    assert.match(report.steps[1]?.says ?? '', /^our tone came back after \d+ ms$/)
  },
)

test('a call that is answered without sound fails the sound step, and is hung up all the same', async (t) => {
  const far = await soundServer(t, { fences: () => [openFence] }) // it answers, and opens no sound
  const report = await tested(t, far.server.port, '+34911222333')
  assert.deepEqual(shortOf(report), ['call ok', 'sound failed', 'hangup ok'])
  assert.equal(report.steps[1]?.says, 'no sound came from the carrier')
  assert.match(report.steps[1]?.fix ?? '', /^open the UDP ports of SVC_MEDIA_PORTS to the carrier both ways/)
})

test('a call that is refused fails the call step with the words of a dial, and says what to do', async (t) => {
  const far = await soundServer(t, { fences: () => [openFence] }) // it knows one number alone
  const report = await tested(t, far.server.port, '+34911999999')
  assert.deepEqual(shortOf(report), ['call failed'])
  assert.equal(report.steps[0]?.says, 'the number was not found at the carrier (404 Not Found)')
  assert.match(report.steps[0]?.fix ?? '', /^check the number, and number_form of the account/)
  assert.equal(report.dial?.sip_status, 404)
})

test('a carrier that says nothing fails the OPTIONS step', async (t) => {
  const mute = createSocket('udp4').bind(0, '127.0.0.1')
  await once(mute, 'listening')
  t.after(() => mute.close())
  const report = await tested(t, mute.address().port)
  assert.deepEqual(shortOf(report), ['location ok', 'connection skipped', 'options failed'])
})
