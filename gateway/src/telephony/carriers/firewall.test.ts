import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startDeployment } from '../../../testing/deployment.ts'
import { newLine, NumberFixture } from '../../../testing/telephony/number-fixture.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { until } from '../../../testing/until.ts'
import { secondMs } from '../../foundation/clock.ts'

const folder = await mkdtemp(join(tmpdir(), 'switchroom-firewall-'))
after(() => rm(folder, { recursive: true }))
const file = join(folder, 'networks')
const fixture = await NumberFixture.start({
  separate: true,
  settings: { SVC_FIREWALL_FILE: file, SVC_MEDIA_ADDRESS: '9.1.1.1' },
})
after(() => fixture[Symbol.asyncDispose]())
const { deployment, media } = fixture
const { operator } = deployment

const lines = async (path = file) => (await readFile(path, 'utf8')).split('\n').slice(0, -1)
const list = async (): Promise<string[]> => done(await operator.get('/v1/ops/firewall')).networks

async function move(network: string, word: 'approve' | 'refuse') {
  for (const state of ['waiting', 'approved', 'refused']) {
    const { networks } = done(await operator.get(`/v1/ops/networks?state=${state}`))
    const row = networks.find((one: { network: string }) => one.network === network)
    if (row) done(await operator.post(`/v1/ops/networks/${row.id}/${word}`))
  }
}

test('port 5060 is open to the catalogue, to approved networks and to the media server that hands over, and to nothing else (N-058, N-395, N-396, N-397, T-90, ND-44)', async () => {
  const catalogue = deployment.gateway.services.carrierCatalogue.networksOf('apicarrier') ?? []
  assert.equal(catalogue.length, 8)
  const bare = { port: 5060, networks: [...catalogue, '9.1.1.1'].toSorted() }
  assert.deepEqual(done(await operator.get('/v1/ops/firewall')), bare)
  assert.deepEqual(await lines(), bare.networks)

  const org = await fixture.newOrg()
  await org.peer('acme', '8.8.8.8', '9.9.9.9')
  assert.deepEqual(await list(), bare.networks)
  await move('8.8.8.8', 'approve')
  const open = [...bare.networks, '8.8.8.8'].toSorted()
  assert.deepEqual([await list(), await lines()], [open, open])
  await move('8.8.8.8', 'refuse')
  assert.deepEqual([await list(), await lines()], [bare.networks, bare.networks])
})

test('the file opens before the media server gets a network and closes after it dropped it (T-90, ND-44)', async () => {
  const org = await fixture.newOrg()
  await org.peer('acme', '8.20.0.1', '8.20.0.2')
  await org.imported({ number: newLine() })
  await move('8.20.0.2', 'approve')
  const seen: [string, boolean][] = []
  const note = (name: string) => seen.push([name, readFileSync(file, 'utf8').includes('8.20.0.1\n')])
  // The media server sees each request before it answers it.
  const push = media.sandbox.requests.push.bind(media.sandbox.requests)
  media.sandbox.requests.push = (...requests) => {
    for (const { method } of requests) if (method === 'UpdateSIPInboundTrunk') note(method)
    return push(...requests)
  }
  await move('8.20.0.1', 'approve')
  await move('8.20.0.1', 'refuse')
  assert.deepEqual(seen, [
    ['UpdateSIPInboundTrunk', true],
    ['UpdateSIPInboundTrunk', true],
  ])
  assert.equal((await lines()).includes('8.20.0.1'), false)
})

test('a change that another gateway has done closes nothing while one is under way here, and the other way round (T-90, ND-44)', async () => {
  const { sql, gateway } = deployment
  const { firewall } = gateway.services
  const org = await fixture.newOrg()
  await org.peer('acme', '8.22.0.1')
  await move('8.22.0.1', 'approve')
  const notice = async (words: string) => {
    rmSync(file)
    await sql(`select pg_notify('switchroom_firewall', $1)`, [words])
    await until('the file is written again', () => existsSync(file))
  }
  await firewall.around(async () => {
    await sql(`update networks set state = 'refused' where network = '8.22.0.1'`)
    await notice('stands elsewhere.1')
    assert.ok((await lines()).includes('8.22.0.1'))
  })
  assert.ok(!(await lines()).includes('8.22.0.1'))

  await sql(`update networks set state = 'approved' where network = '8.22.0.1'`)
  await notice('opens elsewhere.2')
  await sql(`update networks set state = 'refused' where network = '8.22.0.1'`)
  await firewall.around(async () => {})
  assert.ok((await lines()).includes('8.22.0.1'))
  await notice('stands elsewhere.2')
  assert.ok(!(await lines()).includes('8.22.0.1'))
})

test('a change whose end a gateway did not hear, because its connection was cut or the other gateway died, leaves no network open (T-90, ND-44)', async () => {
  const { sql, clock } = deployment
  const org = await fixture.newOrg()
  await org.peer('acme', '8.23.0.1')
  const isOpen = async () => (await lines()).includes('8.23.0.1')
  const refuseDuringChange = async (id: string) => {
    await sql(`update networks set state = 'approved' where network = '8.23.0.1'`)
    await sql(`select pg_notify('switchroom_firewall', $1)`, [`opens ${id}`])
    await until('it is open', isOpen)
    await sql(`update networks set state = 'refused' where network = '8.23.0.1'`)
  }

  await refuseDuringChange('elsewhere.3')
  await sql(`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'switchroom-signals' and datname = current_database()`)
  await until('it is closed after the connection is back', async () => !(await isOpen()))

  await refuseDuringChange('elsewhere.4')
  await deployment.gateway.services.firewall.closeAbandoned()
  assert.equal(await isOpen(), true, 'it may still be under way')
  clock.forward(61 * secondMs)
  await deployment.gateway.services.firewall.closeAbandoned()
  assert.equal(await isOpen(), false)
})

test('every gateway keeps its own file, and one that starts writes it at once (ND-44)', async () => {
  const other = join(folder, 'other')
  await deployment.another({ SVC_FIREWALL_FILE: other })
  assert.deepEqual(await lines(other), await list())
  const org = await fixture.newOrg()
  await org.peer('acme', '8.21.0.1')
  await move('8.21.0.1', 'approve')
  await until('the other gateway heard of it', async () => (await lines(other)).includes('8.21.0.1'))
  await move('8.21.0.1', 'refuse')
  await until('the other gateway heard of it', async () => !(await lines(other)).includes('8.21.0.1'))
})

test('a file that cannot be written ends the start (ND-44)', async () => {
  await assert.rejects(startDeployment({ SVC_FIREWALL_FILE: join(folder, 'missing', 'networks') }), {
    message: /^SVC_FIREWALL_FILE cannot be written: /,
  })
})

test('without a media server of the sandbox’s own the media address is not among them (N-397, ND-44)', async () => {
  await using alone = await startDeployment({ SVC_MEDIA_ADDRESS: '9.1.1.1' })
  const { networks } = done(await alone.operator.get('/v1/ops/firewall'))
  assert.equal(networks.includes('9.1.1.1'), false)
})
