import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { done } from '@switchroom/gateway/testing/agents/test-agents'
import { startDeployment } from '@switchroom/gateway/testing/deployment'
import { PlacingOrg } from '@switchroom/gateway/testing/telephony/placing-fixture'
import { until } from '@switchroom/gateway/testing/until'
import { Machine } from '../../testing/terminal.ts'

const deployment = await startDeployment()
const placingOrg = await PlacingOrg.open(deployment)
const { from } = placingOrg
await placingOrg.account('backup', 'sip.backup.example')
const machine = new Machine({ SVC_GATEWAY_URL: deployment.url, SVC_KEY: placingOrg.key })
after(async () => {
  machine[Symbol.dispose]()
  await deployment[Symbol.asyncDispose]()
})

test('svc numbers fallbacks sets, shows and takes away the accounts of a number', async () => {
  const set = await machine.run(['numbers', 'fallbacks', from, '--account', 'backup'])
  assert.equal(set.stdout, `Calls from ${from} go out through peer, then backup.\n`, set.stderr)
  const shown = await machine.run(['numbers', 'fallbacks', from, '--json'])
  assert.deepEqual(JSON.parse(shown.stdout), {
    number: from,
    account: 'peer',
    fallback_accounts: ['backup'],
  })
  const both = await machine.run(['numbers', 'fallbacks', from, '--none', '--account', 'backup'])
  assert.match(both.stderr, /--none and --account exclude each other/)
  const unknown = await machine.run(['numbers', 'fallbacks', '+34910999999'])
  assert.equal(unknown.status, 1)
  assert.match(unknown.stderr, /the org has no number \+34910999999 here: see svc numbers/)
  const none = await machine.run(['numbers', 'fallbacks', from, '--none'])
  assert.equal(none.stdout, `Calls from ${from} go out through peer.\n`)
})

test('svc dial --wait and svc dials name the account that carried a call, and why the first did not', async () => {
  await machine.run(['numbers', 'fallbacks', from, '--account', 'backup'])
  const why = 'the carrier did not answer'
  const fleet = placingOrg.fleet.in('production')
  const reports = async () => {
    const { call } = await until('a call is to be dialled', async () => {
      const { body } = await fleet.post('/v1/worker/placements', { worker: 'w1', wait_s: 0 })
      return body.placement
    })
    const failed_accounts = [{ account: 'peer', sip_status: null, why }]
    const told = { worker: 'w1', outcome: 'answered', account: 'backup', failed_accounts }
    done(await fleet.post(`/v1/worker/placements/${call}`, told))
  }
  const to = await placingOrg.known()
  const [dialled] = await Promise.all([machine.run(['dial', 'desk', to, '--wait']), reports()])
  assert.match(dialled.stdout, /\nAnswered through backup \(peer: the carrier did not answer\)\.\n$/)
  const { stdout } = await machine.run(['dials'])
  assert.match(stdout, /\tanswered through backup \(peer: the carrier did not answer\)\t/)
})
