import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Browser } from '@switchroom/gateway/testing/http/browser'
import { done } from '@switchroom/gateway/testing/agents/test-agents'
import { until } from '@switchroom/launcher/testing/waiting'
import { Carrier } from './spoken-carrier.ts'
import { startVoiceAgent, typesOf, type WorkerProcess } from './spoken-fixture.ts'
import { Phone } from './spoken-phone.ts'

const fixture = await startVoiceAgent({ after }, { settings: { greeting: { say: 'Hello.' } } })
const carrier = await Carrier.open({ after }, fixture)
const other = await fixture.another()
const { clock, sql, operator } = fixture.deployment
const { client } = await fixture.org.serverToken('sandbox', { scopes: ['talk'] })

const dial = async (to: string): Promise<string> => {
  const dialled = await client.post('/v1/agents/hello/dial', { to })
  assert.equal(dialled.status, 202, dialled.text)
  return dialled.body.call
}

const bareOffer = [
  'v=0',
  'o=- 1 2 IN IP4 127.0.0.1',
  's=-',
  't=0 0',
  'm=audio 9 UDP/TLS/RTP/SAVPF 111',
  'c=IN IP4 0.0.0.0',
  'a=ice-ufrag:FYUD',
  'a=ice-pwd:D6QqGFqM7bSopJZ5BfCm7iyv',
  `a=fingerprint:sha-256 ${Array.from({ length: 32 }, () => 'AB').join(':')}`,
  'a=setup:actpass',
  'a=mid:0',
  'a=sendrecv',
  'a=rtcp-mux',
  'a=rtpmap:111 opus/48000/2',
  '',
].join('\r\n')

/** A browser's call that a worker has answered; no sound ever comes. */
async function offer(): Promise<string> {
  return until(
    'a worker is free',
    async () => {
      const made = done(await client.post('/v1/tokens', { agent: 'hello' }))
      const { status } = await new Browser(fixture.deployment.anonymous, made).offer(bareOffer)
      return status === 201 && String(made.call)
    },
    120_000,
  )
}

/** Whole, as a machine that loses its power. */
async function killWhole(worker: WorkerProcess) {
  const all = [...worker.processes, Number(worker.child.pid)]
  for (const pid of all) process.kill(pid, 'SIGKILL')
  await worker.ended
}

test('of two workers one takes each call to dial and each browser, and no contact is called twice', async () => {
  await until('both are known', async () => {
    const { body } = await operator.get('/v1/ops/workers')
    return new Set(body.workers.map(({ worker }: { worker: string }) => worker)).size === 2
  })
  const numbers = await Promise.all([1, 2, 3, 4].map((last) => carrier.reach(`+3461000010${last}`)))
  const [calls, browsers] = await Promise.all([
    Promise.all(numbers.map(dial)),
    Promise.all([offer(), offer(), offer()]),
  ])
  for (const _ of calls) (await carrier.nextRing()).reject(486)
  for (const call of calls) assert.equal((await fixture.untilEnded(call)).at(-1)?.data['reason'], 'busy')
  assert.equal(carrier.rang.length, 0)
  for (const call of browsers) {
    await fixture.nextCall(({ id }) => id === call)
    const types = typesOf(await fixture.entriesOf(call))
    assert.equal(types.filter((type) => type === 'call.started').length, 1)
    done(await client.post(`/v1/calls/${call}/verbs`, { verb: 'end' }))
  }
})

test('when a whole worker is lost its calls end as lost with one callback each, and the other worker continues and takes new calls (N-374, N-376, N-377)', async (t) => {
  const doomed = await Promise.all(
    ['+15550100201', '+15550100202'].map((from) => Phone.call(t, 'hello', other.sipPort, { from })),
  )
  const staying = await Phone.call(t, 'hello', fixture.worker.sipPort, { from: '+15550100203' })
  const callFrom = (number: string) => fixture.nextCall(({ from }) => from === number)
  const lost = [await callFrom('+15550100201'), await callFrom('+15550100202')]
  const kept = await callFrom('+15550100203')
  await Promise.all([...doomed, staying].map((phone) => phone.untilSpokenTo()))
  await killWhole(other)

  const to = await carrier.reach('+34610000111')
  const dialled = await dial(to)
  ;(await carrier.nextRing()).reject(486)
  assert.equal((await fixture.untilEnded(dialled)).at(-1)?.data['reason'], 'busy')

  clock.forward(20_000)
  const since = clock.now()
  await until('the other call gave a sign of life', async () => {
    const { rows } = await sql('select beat_at from call_heartbeats where call = $1', [kept.id])
    return new Date(String(rows[0]?.beat_at)) > since
  })
  clock.forward(12_000)
  for (const { id, from } of lost) {
    const entries = await fixture.untilEnded(id)
    assert.equal(entries.find(({ type }) => type === 'error')?.data['code'], 'worker_lost')
    assert.deepEqual(
      entries.filter(({ type }) => type === 'callback.requested').map(({ data }) => data['number']),
      [from],
    )
    assert.equal(entries.at(-1)?.data['reason'], 'failed')
  }
  const { body } = await (await fixture.org.person('admin')).client.get('/v1/callbacks')
  const asked = body.callbacks.map(({ data }: { data: { number: string } }) => data.number)
  assert.deepEqual(asked.toSorted(), ['+15550100201', '+15550100202'])
  await staying.hangUp()
  assert.equal((await fixture.untilEnded(kept.id)).at(-1)?.data['reason'], 'hangup')
})
