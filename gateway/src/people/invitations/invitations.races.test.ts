import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { whileHeld } from '../../../testing/calls/spoken-calls.ts'
import { refused, type Answer } from '../../../testing/client.ts'
import { password, startDeployment } from '../../../testing/deployment.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const other = await deployment.another()
const { operator, sql } = deployment
const org = await deployment.newOrg()
await org.person('admin')

let last = 0
async function invited() {
  const { id, token } = await org.invite(`guest-${(last += 1)}@example.com`, 'qa')
  return {
    id,
    accept: () => other.anonymous.post(`/v1/invitations/${token}`, { password }),
    remove: () => operator.delete(`/v1/ops/orgs/${org.slug}/members/${id}`),
  }
}

const spent = 'that link is spent or was never made'

test('an invitation whose member is removed while it is accepted is spent', async () => {
  const { id, accept } = await invited()
  let accepting: Promise<Answer> | undefined
  await whileHeld(deployment, 'select from members where id = $1 for update', id, 1, async (held) => {
    accepting = accept()
    await held.areWaiting()
    await held.query('delete from members where id = $1', [id])
  })
  assert.ok(accepting)
  refused(await accepting, 404, spent)
})

test('accepting an invitation on one gateway while its member is removed on another never fails, and leaves no key', async () => {
  for (let round = 0; round < 12; round += 1) {
    const { id, accept, remove } = await invited()
    const accepting = accept()
    await pause(round * 4) // a password takes its time to be hashed
    const [accepted, removed] = await Promise.all([accepting, remove()])
    if (accepted.status !== 200) refused(accepted, 404, spent)
    assert.equal(removed.status, 204, removed.text)
    const { rowCount } = await sql('select from keys where member = $1 and revoked_at is null', [id])
    assert.equal(rowCount, 0)
  }
})
