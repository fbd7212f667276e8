import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { PreparedSet } from '@switchroom/contract/call-frames'
import { AppClient, type CameFrame } from '../../../testing/agents/app-client.ts'
import { startDeployment, type Deployment } from '../../../testing/deployment.ts'
import { append, entriesOf, openCall } from '../../../testing/calls/assigned-call.ts'
import { until } from '../../../testing/until.ts'
import type { AssignedCall } from './app-requests.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const other = await deployment.another()
const org = await deployment.newOrg()
const ci = await org.serverToken('sandbox')
const appRequests = deployment.gateway.services.appRequests

/** What a wait may take beyond its budget on a busy machine. */
const toleranceMs = 5000
/** An app that settles at all does so within this, however busy the machine is. */
const longest = { timeoutMs: 10_000 }

interface Prepared {
  app: AppClient
  call: AssignedCall
}
let agents = 0
async function newCall(
  preparing?: unknown,
  channel = 'phone',
  at: Deployment = deployment,
): Promise<Prepared> {
  const agent = `agent-${(agents += 1)}`
  const app = await AppClient.connect(at.url, ci.key)
  const registered = await app.register(agent, preparing === undefined ? {} : { preparing })
  assert.equal(registered.type, 'agent.registered', JSON.stringify(registered))
  const call = await openCall(deployment, ci.client, agent, { channel })
  await append(deployment, call, { type: 'call.started', data: {} })
  await app.nextOf('call.started')
  return { app, call }
}
async function timed(work: Promise<PreparedSet>): Promise<{ set: PreparedSet; tookMs: number }> {
  const since = performance.now()
  return { set: await work, tookMs: performance.now() - since }
}
const settle = (app: AppClient, asked: CameFrame, set?: object) =>
  app.send({ type: 'preparing.settled', call: asked.call, turn: asked.data.turn, set })
const isWithin = (tookMs: number, budgetMs: number) =>
  assert.ok(tookMs > budgetMs - 20 && tookMs < budgetMs + toleranceMs, `${tookMs} of ${budgetMs} ms`)
const timeouts = async ({ id }: AssignedCall) =>
  (await entriesOf(deployment, id)).filter(({ type }) => type === 'call.preparingTimeout')

test('before a generation the app receives the Call, the turn and its budget, and the turn is held until it settles (N-424, N-425, N-426, N-430, ND-90, T-99)', async () => {
  for (const at of [deployment, other]) {
    const { app, call } = await newCall(longest, 'phone', at)
    for (const turn of [1, 2]) {
      const preparing = timed(appRequests.prepare(call, turn))
      const asked = await app.next()
      const { call: whole, ...beside } = asked.data
      assert.deepEqual(
        [asked.type, asked.agent, asked.call, whole.id, whole.transport, beside],
        ['call.preparing', call.agent, call.id, call.id, 'phone', { turn, budgetMs: 10_000 }],
      )
      settle(app, asked, { context: `for ${turn}` })
      const { set, tookMs } = await preparing
      assert.deepEqual(set, { context: `for ${turn}` })
      assert.ok(tookMs < 9000, `${tookMs} ms`)
    }
    assert.deepEqual(await timeouts(call), [])
    await app.close()
  }
})

test('what came before a generation is sent before its `call.preparing`, from another gateway too (N-424)', async () => {
  const { app, call } = await newCall(longest, 'phone', other)
  for (let n = 1; n <= 20; n += 1) {
    await append(deployment, call, { type: 'user.message', data: { text: `${n}`, messageId: `${n}` } })
    const preparing = appRequests.prepare(call, n)
    const [said, asked] = [await app.next(), await app.next()]
    assert.deepEqual([said.type, asked.type, asked.data.turn], ['user.message', 'call.preparing', n])
    settle(app, asked)
    await preparing
  }
  await app.close()
})

test('without a declared budget a generation waits 150 ms, and no timeout is reported (N-427, N-433, N-533, T-100)', async () => {
  const { app, call } = await newCall()
  const { set, tookMs } = await timed(appRequests.prepare(call, 1))
  assert.deepEqual(set, {})
  isWithin(tookMs, 150)
  assert.deepEqual((await app.next()).data.budgetMs, 150)
  await append(deployment, call, { type: 'user.message', data: { text: 'x', messageId: 'x' } })
  assert.deepEqual(
    (await app.upTo('user.message')).map(({ type }) => type),
    ['user.message'],
  )
  assert.deepEqual(await timeouts(call), [])
  await app.close()
})

test('with preparing: true it waits 1500 ms, with a number of its own that long, and continues with the previous values (N-428, N-429, N-432, N-434, N-533, T-99)', async () => {
  for (const [preparing, budgetMs] of [
    [true, 1500],
    [{ timeoutMs: 300 }, 300],
  ] as const) {
    const { app, call } = await newCall(longest)
    const first = appRequests.prepare(call, 1)
    settle(app, await app.next(), { prompt: 'before' })
    await first
    assert.equal((await app.register(call.agent, { preparing })).type, 'agent.registered')
    const { set, tookMs } = await timed(appRequests.prepare(call, 2))
    assert.deepEqual(set, { prompt: 'before' })
    isWithin(tookMs, budgetMs)
    const told = await app.nextOf('call.preparingTimeout')
    const { waitedMs, ...rest } = told.data
    assert.deepEqual(rest, { callId: call.id, turn: 2, budgetMs })
    isWithin(waitedMs, budgetMs)
    assert.ok(Number.isInteger(waitedMs))
    assert.deepEqual(
      (await timeouts(call)).map(({ data }) => data),
      [told.data],
    )
    await app.close()
  }
})

test('what settles too late changes nothing of the turn under way and counts for the next (ND-90, T-99)', async () => {
  const { app, call } = await newCall({ timeoutMs: 100 }, 'phone', other)
  assert.deepEqual(await appRequests.prepare(call, 1), {})
  settle(app, await app.nextOf('call.preparing'), { context: 'late', metadata: { a: 1 } })
  await until('it is kept', async () => {
    const { rows } = await deployment.sql('select prepared from driven_calls where call = $1', [call.id])
    return rows[0].prepared.context === 'late'
  })
  app.send({ type: 'agent.register', agent: call.agent, preparing: longest })
  await app.nextOf('agent.registered')
  const preparing = appRequests.prepare(call, 2)
  const asked = await app.nextOf('call.preparing')
  settle(app, { ...asked, data: { turn: 1 } }, { context: 'later still' }) // of the turn before: not waited for
  settle(app, asked, { prompt: 'new' })
  assert.deepEqual(await preparing, { context: 'later still', prompt: 'new', metadata: { a: 1 } })
  await until('agents see it', async () => {
    const { rows } = await deployment.sql('select metadata from calls where id = $1', [call.id])
    return rows[0].metadata.a === 1
  })
  await app.close()
})

test('an app that is gone, before or while it is asked, is not waited for (ND-90)', async () => {
  for (const at of [deployment, other]) {
    const { app, call } = await newCall(longest, 'phone', at)
    const preparing = timed(appRequests.prepare(call, 1))
    await app.next()
    app.socket.terminate()
    assert.ok((await preparing).tookMs < 9000)
    const { set, tookMs } = await timed(appRequests.prepare(call, 2))
    assert.deepEqual(set, {})
    assert.ok(tookMs < 9000, `${tookMs} ms`)
    assert.deepEqual(await timeouts(call), [])
  }
})

test('a chat is prepared only by an app that opted in, and a messaging call by any (N-424, N-431, T-100)', async () => {
  const silent = await newCall(undefined, 'chat')
  assert.deepEqual(await appRequests.prepare(silent.call, 1), {})
  await append(deployment, silent.call, { type: 'call.ended', data: { reason: 'hangup' } })
  assert.equal((await silent.app.next()).type, 'call.ended')
  const asked = await newCall(undefined, 'msgapp')
  await appRequests.prepare(asked.call, 1)
  assert.equal((await asked.app.next()).type, 'call.preparing')
  const opted = await newCall(true, 'chat')
  const preparing = appRequests.prepare(opted.call, 1)
  settle(opted.app, await opted.app.next())
  assert.deepEqual(await preparing, {})
  await Promise.all([silent, asked, opted].map(({ app }) => app.close()))
})

test('what was changed stays as it was until it is changed again, half characters left out (ND-90)', async () => {
  const { app, call } = await newCall(longest)
  const sets = [{ prompt: 'a', context: 'b\ud800' }, { context: 'c' }, undefined, { metadata: { x: 1 } }]
  const seen: PreparedSet[] = []
  for (const [turn, set] of sets.entries()) {
    const preparing = appRequests.prepare(call, turn + 1)
    settle(app, await app.nextOf('call.preparing'), set)
    seen.push(await preparing)
  }
  assert.deepEqual(seen, [
    { prompt: 'a', context: 'b\ufffd' },
    { prompt: 'a', context: 'c' },
    { prompt: 'a', context: 'c' },
    { prompt: 'a', context: 'c', metadata: { x: 1 } },
  ])
  await app.close()
})

test('what an app sets is kept with the metadata that others see, or not at all (ND-90)', async () => {
  const { app, call } = await newCall(longest)
  const { sql } = deployment
  await sql(`create function refuse_metadata() returns trigger language plpgsql as
    $$ begin if new.id = '${call.id}' then raise exception 'broken'; end if; return new; end $$`)
  await sql('create trigger refuses before update on calls for each row execute function refuse_metadata()')
  app.send({ type: 'preparing.settled', call: call.id, turn: 1, set: { prompt: 'a', metadata: { b: 1 } } })
  assert.equal((await app.next()).code, 'INTERNAL_ERROR')
  await sql('drop trigger refuses on calls')
  const kept = await sql(
    'select c.metadata, d.prepared from calls c join driven_calls d on d.call = c.id where c.id = $1',
    [call.id],
  )
  assert.deepEqual(kept.rows, [{ metadata: {}, prepared: {} }])
  await app.close()
})
