import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { done } from '@switchroom/gateway/testing/agents/test-agents'
import { startDeployment } from '@switchroom/gateway/testing/deployment'
import { PlacingOrg } from '@switchroom/gateway/testing/telephony/placing-fixture'
import { until } from '@switchroom/gateway/testing/until'
import { Machine } from '../../testing/terminal.ts'

const deployment = await startDeployment()
const placingOrg = await PlacingOrg.open(deployment)
const machine = new Machine({ SVC_GATEWAY_URL: deployment.url, SVC_KEY: placingOrg.key })
after(async () => {
  machine[Symbol.dispose]()
  await deployment[Symbol.asyncDispose]()
})
const fleet = placingOrg.fleet.in('production')

/** A worker that reports this of the next test. */
async function reports(steps: object[]): Promise<void> {
  const { id } = await until('a test is to be run', async () => {
    const { body } = await fleet.post('/v1/worker/placements', { worker: 'w1', wait_s: 0, tests: true })
    return body.test
  })
  done(await fleet.post(`/v1/worker/trunk-tests/${id}`, { worker: 'w1', steps }))
}

const found = {
  step: 'location',
  state: 'ok',
  says: 'sip.peer.example is at 8.8.8.8:5060',
  fix: null,
  took_ms: 4,
}

test('svc carriers test prints the steps, and exits with 1 and what to do if one failed', async () => {
  const silent = {
    state: 'failed',
    says: 'the carrier did not answer OPTIONS',
    fix: 'check the port',
    took_ms: 3,
  }
  const [failed] = await Promise.all([
    machine.run(['carriers', 'test', 'peer']),
    reports([found, { step: 'options', ...silent }]),
  ])
  assert.equal(failed.status, 1, failed.stderr)
  assert.equal(
    failed.stdout,
    [
      'ok      location: sip.peer.example is at 8.8.8.8:5060 (4 ms)',
      'failed  options: the carrier did not answer OPTIONS (3 ms)',
      '        do: check the port',
      'peer fails at the step options.',
      '',
    ].join('\n'),
  )
  const answered = {
    step: 'options',
    state: 'ok',
    says: 'the carrier answered 200 OK',
    fix: null,
    took_ms: 9,
  }
  const [well] = await Promise.all([machine.run(['carriers', 'test', 'peer']), reports([found, answered])])
  assert.equal(well.status, 0, well.stderr)
  assert.match(well.stdout, /\nskipped call: nobody was called: the test ends here\n/)
  assert.match(well.stdout, /\npeer works at sip\.peer\.example\.\n$/)
})
