import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startDeployment } from '@switchroom/gateway/testing/deployment'
import { done } from '@switchroom/gateway/testing/agents/test-agents'
import { PlacingOrg } from '@switchroom/gateway/testing/telephony/placing-fixture'
import { until } from '@switchroom/gateway/testing/until'
import { Machine } from '../../testing/terminal.ts'

const deployment = await startDeployment({ SVC_DOMAIN: 'voice.example' })
const placingOrg = await PlacingOrg.open(deployment)
// It may dial, and reads the log by the token of the call alone.
const { key } = await placingOrg.org.serverToken('production', { scopes: ['talk'] })
const machine = new Machine({ SVC_GATEWAY_URL: deployment.url, SVC_KEY: key })
after(async () => {
  machine[Symbol.dispose]()
  await deployment[Symbol.asyncDispose]()
})
const fleet = placingOrg.fleet.in('production')

/** Takes the next call to dial, and reports this of it. */
async function reports(told: object): Promise<void> {
  const { call } = await until('a call is to be dialled', async () => {
    const { body } = await fleet.post('/v1/worker/placements', { worker: 'w1', wait_s: 0 })
    return body.placement
  })
  done(await fleet.post(`/v1/worker/placements/${call}`, { worker: 'w1', ...told }))
}

test('svc dial --wait says in words why a call was not answered, and exits with 1; answered is 0', async () => {
  const to = await placingOrg.known()
  const [declined] = await Promise.all([
    machine.run(['dial', 'desk', to, '--wait']),
    reports({ sip_status: 603, sip_reason: 'Decline' }),
  ])
  assert.equal(declined.status, 1, declined.stderr)
  assert.match(
    declined.stdout,
    /^call_\S+: calling \+\d+ from \+\d+\.\nNot answered: declined \(603 Decline\)\.\n$/,
  )
  const [unanswered] = await Promise.all([
    machine.run(['dial', 'desk', to, '--wait', '--json']),
    reports({ outcome: 'no_answer', why: 'no answer within 60 s' }),
  ])
  assert.equal(unanswered.status, 1, unanswered.stderr)
  const { outcome, why, log_token } = JSON.parse(unanswered.stdout)
  assert.deepEqual([outcome, why, log_token], ['no_answer', 'no answer within 60 s', undefined])
  const [answered] = await Promise.all([
    machine.run(['dial', 'desk', to, '--wait']),
    reports({ outcome: 'answered' }),
  ])
  assert.equal(answered.status, 0, answered.stderr)
  assert.match(answered.stdout, /\nAnswered\.\n$/)
})

test('svc dials shows how each dial went', async () => {
  const { key: reader } = await placingOrg.org.serverToken('production', { scopes: ['calls'] })
  const { stdout } = await machine.run(['dials'], '', { SVC_KEY: reader })
  assert.match(stdout, /\ttaken\tdeclined \(603 Decline\)\tcall_/)
  assert.match(stdout, /\ttaken\tno answer within 60 s\tcall_/)
  assert.match(stdout, /\ttaken\tanswered\tcall_/)
})

test('svc numbers import --extension routes an extension of a SIP account, svc dial --extension explains and dials one, and svc numbers release lets it go', async () => {
  const { key: all } = await placingOrg.org.serverToken('production', { scopes: ['talk', 'numbers'] })
  const run = (...line: string[]) => machine.run(line, '', { SVC_KEY: all })
  const peer = { username: 'peer', dial_extensions: ['100-199'] }
  done(await placingOrg.client.put('/v1/carrier', peer))
  const imported = await run(
    'numbers',
    'import',
    '--extension',
    '201',
    '--account',
    'peer',
    '--agent',
    'desk',
  )
  assert.equal(imported.status, 0, imported.stderr)
  assert.match(imported.stdout, /route 201@peer to desk: done/)
  assert.match((await run('numbers')).stdout, /^201@peer\tdesk\tphone\t/m)
  const dial = ['dial', 'desk', '--extension', '105', '--from', '201@peer']
  const explained = await run(...dial, '--explain')
  assert.equal(explained.status, 1)
  assert.match(explained.stdout, /105@peer is dialled at sip\.peer\.example/)
  const at = `/v1/ops/orgs/${placingOrg.org.slug}/dialling`
  done(await deployment.operator.put(at, { dial_anywhere: true }))
  const dialled = await run(...dial)
  assert.equal(dialled.status, 0, dialled.stderr)
  assert.match(dialled.stdout, /^call_\S+: calling 105@peer from 201@peer\.\n/)
  const neither = await run('dial', 'desk')
  assert.notEqual(neither.status, 0)
  assert.match(neither.stderr, /to: is required/)
  assert.equal((await run('numbers', 'release', '201@peer')).stdout, 'Removed 201@peer.\n')
})
