import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { newNumber, SpokenAgent } from '../../../testing/calls/spoken-calls.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { sql } = deployment

async function newDesk() {
  const org = await deployment.newOrg()
  const agents = {
    sandbox: await new SpokenAgent(deployment, org, 'desk').route(),
    production: await new SpokenAgent(deployment, org, 'desk').route({ env: 'production' }),
  }
  await agents.sandbox.holdingApp('sandbox')
  await agents.production.holdingApp('production')
  const known = async () =>
    (await sql('select env, contact from known_contacts where org = $1 order by env', [org.id])).rows
  return { org, ...agents, known, manager: (await org.person('manager', { production: true })).client }
}

test('a contact who calls is known to the org in that environment from then on (ND-53)', async () => {
  const desk = await newDesk()
  const from = newNumber()
  assert.deepEqual(await desk.known(), [])
  await desk.sandbox.open({ from })
  await desk.sandbox.open({ from })
  assert.deepEqual(await desk.known(), [{ env: 'sandbox', contact: from }])
  await desk.production.open({ from, overflow: true })
  assert.deepEqual(await desk.known(), [
    { env: 'production', contact: from },
    { env: 'sandbox', contact: from },
  ])
})

test('a call that did not open, or came from no number, makes no contact known (ND-53)', async () => {
  const desk = await newDesk()
  await desk.sandbox.open({ from: 'anonymous' })
  await desk.sandbox.open({ from: '' })
  const unheld = await new SpokenAgent(deployment, desk.org, 'nobody-here').route()
  refused(
    await unheld.ask({ from: newNumber() }),
    409,
    'no app holds nobody-here in sandbox: connect one, and call again',
  )
  assert.deepEqual(await desk.known(), [])
})

test('forgetting a contact forgets in both environments that they ever called (ND-53)', async () => {
  const desk = await newDesk()
  const [from, other] = [newNumber(), newNumber()]
  for (const caller of [from, other]) await desk.sandbox.open({ from: caller })
  await desk.production.open({ from })
  assert.equal((await desk.manager.delete(`/v1/contacts/${from}`)).status, 204)
  assert.deepEqual(await desk.known(), [{ env: 'sandbox', contact: other }])
  refused(await desk.manager.delete(`/v1/contacts/${from}`), 404, `nothing is known of ${from}`)
})

test('a contact known only for having called can be forgotten too (ND-53)', async () => {
  const desk = await newDesk()
  const from = newNumber()
  await sql(`insert into known_contacts values ($1, 'sandbox', $2, now())`, [desk.org.id, from])
  assert.equal((await desk.manager.delete(`/v1/contacts/${from}`)).status, 204)
  assert.deepEqual(await desk.known(), [])
})

test('an org makes no contact known by its own claim, whatever caller its token names', async () => {
  const desk = await newDesk()
  const [victim, other] = [newNumber(), newNumber()]
  for (const env of ['sandbox', 'production'] as const) {
    const { client } = await desk.org.serverToken(env)
    const { number } = desk[env]
    const open = (body: object) => client.post('/v1/worker/calls', { from: victim, ...body })
    for (const body of [{ number }, { number, overflow: true }, { agent: 'desk' }])
      assert.equal((await open(body)).status, 201)
  }
  assert.deepEqual(await desk.known(), [])
  const byName = { agent: 'desk', from: victim }
  const fleet = desk.sandbox.fleet.with({ 'svc-org': desk.org.id })
  assert.equal((await fleet.post('/v1/worker/calls', byName)).status, 201)
  assert.deepEqual(await desk.known(), [])
  await desk.sandbox.open({ from: other })
  assert.deepEqual(await desk.known(), [{ env: 'sandbox', contact: other }])
})
