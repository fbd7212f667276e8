import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '@switchroom/launcher/testing/waiting'
import { SipRefused } from '@switchroom/media/sip/server'
import { startVoiceAgent, textsOf, typesOf, type VoiceAgentFixture } from './spoken-fixture.ts'
import { Phone } from './spoken-phone.ts'

const greeted = {
  settings: { greeting: { say: 'Hello, this is a rather long greeting, so that there is time.' } },
}

/** Further than a worker may be silent, while the process of this call gives its signs of life. */
async function moveClock({ deployment: { clock, sql } }: VoiceAgentFixture, living: string) {
  clock.forward(20_000)
  const since = clock.now()
  await until('the other process gave a sign of life', async () => {
    const { rows } = await sql('select beat_at from call_heartbeats where call = $1', [living])
    return new Date(String(rows[0]?.beat_at)) > since
  })
  clock.forward(12_000)
}

test('when the process of a call is killed its caller hears a sentence and is hung up on, the call ends as lost, and one callback is written (N-374, N-375, N-376, N-377)', async (t) => {
  const fixture = await startVoiceAgent(t, greeted, {
    worker: { SVC_CALLS_PER_PROCESS: '1', SVC_WORKER_CALLS: '2' },
  })
  await until('the sentences are made', () => fixture.worker.processes.length > 0)
  const phone = await Phone.call(t, 'hello', fixture.worker.sipPort)
  const other = await Phone.call(t, 'hello', fixture.worker.sipPort, { from: '+15550100101' })
  await Promise.all([phone.untilSpokenTo(), other.untilSpokenTo()])
  const [call = '', otherCall = ''] = await fixture.calls()
  const killedAt = phone.secondsHeard
  const [first = 0] = fixture.worker.processes
  process.kill(first, 'SIGKILL')
  await phone.dialog.ended
  assert.ok(phone.wasSpokenTo(killedAt + 0.5), 'nothing was heard after the process was killed')

  await moveClock(fixture, otherCall)
  const entries = await fixture.untilLogged(
    call,
    'the lost call has ended',
    (log) => log.at(-1)?.type === 'call.ended',
  )
  assert.deepEqual(textsOf(entries, 'say.requested'), [
    'Sorry, something went wrong on our side. We will call you back.',
  ])
  assert.equal(entries.find(({ type }) => type === 'error')?.data['code'], 'worker_lost')
  const backs = entries.filter(({ type }) => type === 'callback.requested')
  assert.deepEqual(
    backs.map(({ data }) => [data['number'], data['via']]),
    [['+15550100100', 'overflow']],
  )
  assert.equal(entries.at(-1)?.data['reason'], 'failed')

  // the other call, in another process, continues
  assert.ok(!typesOf(await fixture.entriesOf(otherCall)).includes('call.ended'))
  await other.hangUp()
  await fixture.untilLogged(
    otherCall,
    'the other has ended',
    (log) => log.at(-1)?.data['reason'] === 'hangup',
  )
})

test('a worker that is asked to stop takes no more calls, lets its own finish, and then goes', async (t) => {
  const fixture = await startVoiceAgent(t, greeted)
  const phone = await Phone.call(t, 'hello', fixture.worker.sipPort)
  await phone.untilSpokenTo()
  fixture.worker.child.kill('SIGTERM')
  await until('it drains', () => fixture.worker.said.includes('draining'))
  await assert.rejects(
    Phone.call(t, 'hello', fixture.worker.sipPort),
    new SipRefused(503, 'Service Unavailable'),
  )
  assert.equal(fixture.worker.child.exitCode, null)
  await phone.hangUp()
  assert.equal(await fixture.worker.ended, 0)
  const [call = ''] = await fixture.calls()
  const entries = await fixture.entriesOf(call)
  assert.equal(entries.at(-1)?.data['reason'], 'hangup')
})

test('a worker that is asked to stop twice ends its calls', async (t) => {
  const fixture = await startVoiceAgent(t, greeted)
  const phone = await Phone.call(t, 'hello', fixture.worker.sipPort)
  await phone.untilSpokenTo()
  fixture.worker.child.kill('SIGTERM')
  await until('it drains', () => fixture.worker.said.includes('draining'))
  fixture.worker.child.kill('SIGTERM')
  assert.equal(await phone.dialog.ended, 'hangup')
  assert.equal(await fixture.worker.ended, 0)
  const [call = ''] = await fixture.calls()
  assert.deepEqual((await fixture.entriesOf(call)).at(-1)?.data['reason'], 'failed')
})

test('a caller hears that every place is taken and is called back (N-371, N-373)', async (t) => {
  const fixture = await startVoiceAgent(t, greeted, { worker: { SVC_WORKER_CALLS: '1' } })
  const phone = await Phone.call(t, 'hello', fixture.worker.sipPort)
  await phone.untilSpokenTo()
  const second = await Phone.call(t, 'hello', fixture.worker.sipPort, { from: '+15550100102' })
  assert.equal(await second.dialog.ended, 'hangup')
  await second.untilSpokenTo()
  const calls = await fixture.calls()
  const entries = await fixture.untilLogged(
    calls[1] ?? '',
    'it has ended',
    (log) => log.at(-1)?.type === 'call.ended',
  )
  const back = entries.find(({ type }) => type === 'callback.requested')
  assert.deepEqual([back?.data['number'], back?.data['via']], ['+15550100102', 'overflow'])
  // a call that was lost would be called back too, half a minute later
  assert.ok(!typesOf(entries).includes('error'), typesOf(entries).join(' '))
  await phone.hangUp()
})
