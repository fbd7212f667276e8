import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { newLine, NumberFixture, type NumberOrg } from '../../../testing/telephony/number-fixture.ts'
import { done } from '../../../testing/agents/test-agents.ts'

const fixture = await NumberFixture.start({ separate: true })
after(() => fixture[Symbol.asyncDispose]())
const { deployment, media } = fixture
const { operator } = deployment

const peer = { username: 'acme', password: 'word of acme' }

/** The operator's view of an org's networks, by network. */
async function asked(org: NumberOrg, state: string) {
  const { networks } = done(await operator.get(`/v1/ops/networks?state=${state}`))
  return networks.filter((row: { org: string }) => row.org === org.id)
}

async function move(org: NumberOrg, network: string, word: 'approve' | 'refuse') {
  const all = await Promise.all(['waiting', 'approved', 'refused'].map((state) => asked(org, state)))
  const row = all.flat().find((one) => one.network === network)
  return done(await operator.post(`/v1/ops/networks/${row.id}/${word}`))
}

const states = async (org: NumberOrg) => {
  const { networks } = done(await org.admin.get('/v1/carrier?account=acme'))
  return Object.fromEntries(
    networks.map((row: { network: string; state: string }) => [row.network, row.state]),
  )
}

const firewall = async (): Promise<string[]> => done(await operator.get('/v1/ops/firewall')).networks

/** A trunk: who may call, and which numbers. */
const fence = (org: NumberOrg, env: 'sandbox' | 'production', name: string) => {
  const trunk = org.trunk(env, name)
  return trunk && [trunk.allowedAddresses.toSorted(), trunk.numbers.toSorted()]
}

test('a network of a SIP peer waits until the operator approves it: no trunk lists it and 5060 stays closed (N-020, N-056, N-058, N-060, N-061, N-133, N-134, N-319, T-36, T-90, ND-41)', async () => {
  const org = await fixture.newOrg()
  await org.peer('acme', '8.8.8.8', '9.9.9.0/24')
  const number = newLine()
  const { steps } = await org.imported({ number })
  assert.ok(steps.includes('network 8.8.8.8: waiting'), steps.join())
  assert.deepEqual(await states(org), { '8.8.8.8': 'waiting', '9.9.9.0/24': 'waiting' })
  assert.equal(fence(org, 'sandbox', 'sip/acme'), undefined)
  assert.equal((await firewall()).includes('8.8.8.8'), false)

  const [waiting] = await asked(org, 'waiting')
  assert.deepEqual(Object.keys(waiting), ['id', 'org', 'network', 'state', 'account', 'number', 'asked_at'])
  assert.deepEqual(
    [waiting.org, waiting.network, waiting.state, waiting.account, waiting.number],
    [org.id, '8.8.8.8', 'waiting', 'acme', null],
  )
  assert.ok(Math.abs(waiting.asked_at - Date.now() / 1000) < 60)

  assert.deepEqual(await move(org, '8.8.8.8', 'approve'), { ...waiting, state: 'approved' })
  assert.deepEqual(await states(org), { '8.8.8.8': 'approved', '9.9.9.0/24': 'waiting' })
  assert.deepEqual(fence(org, 'sandbox', 'sip/acme'), [['8.8.8.8'], [number]])
  assert.equal((await firewall()).includes('8.8.8.8'), true)
  assert.equal((await firewall()).includes('9.9.9.0/24'), false)

  const told = media.sandbox.requests.length
  assert.equal((await move(org, '8.8.8.8', 'approve')).state, 'approved')
  assert.equal(media.sandbox.requests.length, told)
})

test('a refusal takes numbers off when nothing approved fences them any more, and closes the port (N-062, N-063, N-064, N-320, T-36, T-39, T-90, ND-17)', async () => {
  const org = await fixture.newOrg()
  await org.peer('acme', '8.8.4.4', '9.9.8.0/24')
  const number = newLine()
  await org.imported({ number })
  await move(org, '8.8.4.4', 'approve')
  await move(org, '9.9.8.0/24', 'approve')
  assert.deepEqual(fence(org, 'sandbox', 'sip/acme'), [['8.8.4.4', '9.9.8.0/24'], [number]])

  assert.equal((await move(org, '8.8.4.4', 'refuse')).state, 'refused')
  assert.deepEqual(fence(org, 'sandbox', 'sip/acme'), [['9.9.8.0/24'], [number]])
  assert.equal((await firewall()).includes('8.8.4.4'), false)
  assert.equal((await firewall()).includes('9.9.8.0/24'), true)

  await move(org, '9.9.8.0/24', 'refuse')
  assert.equal(fence(org, 'sandbox', 'sip/acme'), undefined)
  assert.equal(org.rule('sandbox'), undefined)
  assert.deepEqual(await states(org), { '8.8.4.4': 'refused', '9.9.8.0/24': 'refused' })

  await move(org, '8.8.4.4', 'approve') // the operator may think again
  assert.deepEqual(fence(org, 'sandbox', 'sip/acme'), [['8.8.4.4'], [number]])
})

test('a waiting network that is refused leaves numbers as they are if another network fences them (N-062, N-064, T-39)', async () => {
  const org = await fixture.newOrg()
  await org.peer('acme', '8.8.5.5', '9.9.7.0/24')
  const number = newLine()
  await org.imported({ number })
  await move(org, '8.8.5.5', 'approve')
  await move(org, '9.9.7.0/24', 'refuse')
  assert.deepEqual(fence(org, 'sandbox', 'sip/acme'), [['8.8.5.5'], [number]])
})

test('a network sent again keeps its state, one left out fences no more, and nothing the org does leaves refused (N-056, T-38, ND-17)', async () => {
  const org = await fixture.newOrg()
  await org.peer('acme', '8.1.0.1', '8.1.0.2')
  const number = newLine()
  await org.imported({ number })
  await move(org, '8.1.0.1', 'approve')
  await move(org, '8.1.0.2', 'refuse')
  const told = media.sandbox.writes.length
  done(await org.admin.put('/v1/carrier', { ...peer, addresses: ['8.1.0.1', '8.1.0.2', '8.1.0.3'] }))
  assert.deepEqual(await states(org), { '8.1.0.1': 'approved', '8.1.0.2': 'refused', '8.1.0.3': 'waiting' })
  assert.equal(media.sandbox.writes.length, told)

  done(await org.admin.put('/v1/carrier', { ...peer, addresses: ['8.1.0.3'] }))
  assert.equal(fence(org, 'sandbox', 'sip/acme'), undefined)
  assert.equal((await firewall()).includes('8.1.0.1'), false)
  done(await org.admin.put('/v1/carrier', { ...peer, addresses: ['8.1.0.1', '8.1.0.2'] }))
  assert.deepEqual(await states(org), { '8.1.0.1': 'approved', '8.1.0.2': 'refused' })
  assert.deepEqual(fence(org, 'sandbox', 'sip/acme'), [['8.1.0.1'], [number]])
  assert.equal((await firewall()).includes('8.1.0.1'), true)
})

test('a new password of a SIP peer is on its trunk at once (N-111, ND-31)', async () => {
  const org = await fixture.newOrg()
  await org.peer('acme', '8.2.0.1')
  await org.imported({ number: newLine() })
  await move(org, '8.2.0.1', 'approve')
  assert.equal(org.trunk('sandbox', 'sip/acme')?.authPassword, 'word of acme')
  done(await org.admin.put('/v1/carrier', { username: 'acme', password: 'the next word' }))
  assert.equal(org.trunk('sandbox', 'sip/acme')?.authPassword, 'the next word')
})

test('an approval admits in both environments, and a refusal removes in both (N-061, N-063, N-319, N-320, T-40, ND-41)', async () => {
  const org = await fixture.newOrg()
  await org.peer('acme', '8.3.0.1')
  const [one, other] = [newLine(), newLine()]
  await org.imported({ number: one }, 'sandbox')
  await org.imported({ number: other }, 'production')
  await move(org, '8.3.0.1', 'approve')
  assert.deepEqual(fence(org, 'sandbox', 'sip/acme'), [['8.3.0.1'], [one]])
  assert.deepEqual(fence(org, 'production', 'sip/acme'), [['8.3.0.1'], [other]])
  await move(org, '8.3.0.1', 'refuse')
  assert.equal(fence(org, 'sandbox', 'sip/acme'), undefined)
  assert.equal(fence(org, 'production', 'sip/acme'), undefined)
})

test('the networks of a hooked number wait too, asked for by the number (N-057, N-059, N-177, N-178, ND-16, ND-41)', async () => {
  const org = await fixture.newOrg()
  const number = newLine()
  const { steps } = await org.imported({ number, hooked: true, networks: ['8.4.0.0/24'] })
  assert.ok(steps.includes('network 8.4.0.0/24: waiting'), steps.join())
  const [row] = await asked(org, 'waiting')
  assert.deepEqual([row.network, row.account, row.number], ['8.4.0.0/24', null, number])
  await move(org, '8.4.0.0/24', 'approve')
  assert.deepEqual(fence(org, 'sandbox', `own/${number}`), [['8.4.0.0/24'], [number]])
  assert.equal((await firewall()).includes('8.4.0.0/24'), true)
  refused(
    await org.import({ number: newLine(), hooked: true, networks: ['8.4.0.0/16'] }),
    400,
    'networks: 8.4.0.0/16 is wider than a /24',
  )
})

test('one org’s approval is no other’s (N-060, ND-17)', async () => {
  const [one, other] = [await fixture.newOrg(), await fixture.newOrg()]
  await one.peer('acme', '8.5.0.1')
  await other.peer('acme', '8.5.0.1')
  await move(one, '8.5.0.1', 'approve')
  assert.deepEqual(
    [await states(one), await states(other)],
    [{ '8.5.0.1': 'approved' }, { '8.5.0.1': 'waiting' }],
  )
})

test('the state is kept when the media server fails, and admission follows (N-060, ND-41)', async () => {
  const org = await fixture.newOrg()
  await org.peer('acme', '8.6.0.1')
  const number = newLine()
  await org.imported({ number })
  media.sandbox.refuse('CreateSIPInboundTrunk', 'internal', 'the disk is full')
  assert.equal((await move(org, '8.6.0.1', 'approve')).state, 'approved')
  assert.deepEqual(await states(org), { '8.6.0.1': 'approved' })
  assert.equal((await firewall()).includes('8.6.0.1'), true)
})

test('of two decisions at the same time the last holds everywhere (ND-41)', async () => {
  const org = await fixture.newOrg()
  await org.peer('acme', '8.7.0.1')
  const number = newLine()
  await org.imported({ number })
  const [{ id }] = await asked(org, 'waiting')
  const decide = async (word: string) => done(await operator.post(`/v1/ops/networks/${id}/${word}`))
  await Promise.all([decide('approve'), decide('refuse')])
  const [state] = Object.values(await states(org))
  assert.deepEqual(
    fence(org, 'sandbox', 'sip/acme'),
    state === 'approved' ? [['8.7.0.1'], [number]] : undefined,
  )
  assert.equal((await firewall()).includes('8.7.0.1'), state === 'approved')
})

test('a forgotten peer’s networks admit its numbers until the last is released (N-117, T-50, ND-14)', async () => {
  const org = await fixture.newOrg()
  await org.peer('acme', '8.8.0.1')
  const number = newLine()
  await org.imported({ number })
  await move(org, '8.8.0.1', 'approve')
  assert.equal((await org.admin.delete('/v1/carrier')).status, 204)
  assert.deepEqual(fence(org, 'sandbox', 'sip/acme'), [['8.8.0.1'], [number]])
  assert.equal((await firewall()).includes('8.8.0.1'), true)
  assert.equal((await org.admin.delete(`/v1/numbers/${number}`)).status, 204)
  assert.equal((await firewall()).includes('8.8.0.1'), false)
})

test('a forgotten peer without numbers closes the port at once (N-116, N-397, ND-14, ND-44)', async () => {
  const org = await fixture.newOrg()
  await org.peer('acme', '8.9.0.1')
  await move(org, '8.9.0.1', 'approve')
  assert.equal((await firewall()).includes('8.9.0.1'), true)
  assert.equal((await org.admin.delete('/v1/carrier')).status, 204)
  assert.equal((await firewall()).includes('8.9.0.1'), false)
})

test('the listing shows one state, oldest first, and only the operator sees or moves (N-406, N-105, ND-02, ND-41)', async () => {
  const org = await fixture.newOrg()
  await org.peer('acme', '8.10.0.3', '8.10.0.1', '8.10.0.2')
  const listed = await asked(org, 'waiting')
  assert.deepEqual(
    listed.map((row: { network: string }) => row.network),
    ['8.10.0.3', '8.10.0.1', '8.10.0.2'],
  )
  const usual = done(await operator.get('/v1/ops/networks')).networks
  assert.ok(usual.every((row: { state: string }) => row.state === 'waiting'))
  refused(
    await operator.get('/v1/ops/networks?state=open'),
    400,
    'state: must be one of waiting, approved, refused',
  )
  refused(await operator.post('/v1/ops/networks/net_none/approve'), 404, 'there is no network net_none')
  refused(await operator.post('/v1/ops/networks/net_none/refuse'), 404, 'there is no network net_none')
  const { id } = listed[0]
  for (const answer of [
    await org.admin.get('/v1/ops/networks'),
    await org.admin.get('/v1/ops/firewall'),
    await org.admin.post(`/v1/ops/networks/${id}/approve`),
    await org.admin.post(`/v1/ops/networks/${id}/refuse`),
  ])
    assert.equal(answer.status, 403, answer.text)
  assert.equal((await deployment.anonymous.post(`/v1/ops/networks/${id}/approve`)).status, 401)
  assert.equal((await asked(org, 'waiting')).length, 3)
})
