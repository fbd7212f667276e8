import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Thread } from '@switchroom/contract/threads'
import { refused, type Client } from '../../../testing/client.ts'
import { startDeployment, type TestPerson } from '../../../testing/deployment.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { callLog } from '../../calls/log/entries.ts'
import { hourMs, secondMs } from '../../foundation/clock.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { sql, clock } = deployment
const { log } = deployment.gateway.services
const contact = '+34600111222'

/** An org, two people of it, and a thread that grows. */
async function newThread() {
  const org = await deployment.newOrg()
  const { client } = await org.serverToken('sandbox')
  const { call } = done(await client.post('/v1/calls', { agent: 'desk' }))
  await sql('update calls set contact = $2 where id = $1', [call, contact])
  const ref = callLog({ id: call, org: org.id, env: 'sandbox', agent: 'desk' })
  const write = (type: string) => async (text: string) => {
    clock.forward(secondMs)
    await log.append(ref, [{ type, data: { text } }])
  }
  const thread = async (asker: Client): Promise<Thread> =>
    done(await asker.get('/v1/agents/desk/threads')).threads[0]
  return {
    org,
    client,
    eva: await org.person('supervisor', { production: true }),
    tom: await org.person('qa'),
    hear: write('user.message'),
    say: write('agent.message'),
    thread,
    unread: async ({ client: asker }: { client: Client }) => (await thread(asker)).unread,
    mark: async ({ client: reader }: TestPerson, body: object = {}) =>
      done(await reader.put(`/v1/agents/desk/threads/${contact}/read`, body)),
  }
}

test('each person has read a thread as far as they say; what the agent said is never unread', async () => {
  const { client, eva, tom, hear, say, unread, mark } = await newThread()
  await hear('one')
  await say('two')
  await hear('three')
  assert.deepEqual([await unread(eva), await unread(tom), await unread({ client })], [2, 2, null])
  const { read_at, ...rest } = await mark(eva)
  assert.deepEqual(rest, { contact })
  assert.ok(Math.abs(read_at - clock.now().getTime() / 1000) < 10)
  assert.deepEqual([await unread(eva), await unread(tom)], [0, 2])
  await hear('four')
  assert.deepEqual([await unread(eva), await unread(tom)], [1, 3])
})

test('what came behind the newest turn that a person saw stays unread, and a mark never moves back', async () => {
  const { eva, hear, thread, unread, mark } = await newThread()
  for (const text of ['one', 'two', 'three']) await hear(text)
  const { turns } = await thread(eva.client)
  const [first, second, third] = turns.map(({ ts }) => ts)
  assert.equal((await mark(eva, { up_to: second })).read_at, second)
  assert.equal(await unread(eva), 1)
  assert.equal((await mark(eva, { up_to: first })).read_at, second)
  assert.equal(await unread(eva), 1)
  await mark(eva, { up_to: third })
  assert.equal(await unread(eva), 0)
  const { read_at } = await mark(eva, { up_to: (clock.now().getTime() + hourMs) / 1000 })
  assert.ok(read_at <= clock.now().getTime() / 1000)
  await hear('four')
  assert.equal(await unread(eva), 1)
})

test('of two marks made at the same time the further one is kept', async () => {
  const { eva, hear, thread, unread, mark } = await newThread()
  for (let n = 0; n < 10; n += 1) await hear(`${n}`)
  const { turns } = await thread(eva.client)
  await Promise.all(turns.map(({ ts }) => mark(eva, { up_to: ts })))
  assert.equal(await unread(eva), 0)
})

test('what waits is unread as well, by when it was sent', async () => {
  const { org, eva, hear, unread, mark } = await newThread()
  await hear('one')
  const wait = (id: string) =>
    sql(
      `insert into waiting_messages (org, env, agent, message_id, number, contact, sent_at, message)
       values ($1, 'sandbox', 'desk', $2, '+34911000000', $3, $4, '{"text": "hello?"}')`,
      [org.id, id, contact, clock.now()],
    )
  await wait('first')
  assert.equal(await unread(eva), 2)
  await mark(eva)
  assert.equal(await unread(eva), 0)
  clock.forward(secondMs)
  await wait('second')
  assert.equal(await unread(eva), 1)
})

test('a mark is for one environment and one thread, and goes with the person', async () => {
  const { org, eva, hear, unread, mark } = await newThread()
  await hear('one')
  await mark(eva)
  const live = await org.serverToken('production')
  const { call } = done(await live.client.post('/v1/calls', { agent: 'desk' }))
  await sql('update calls set contact = $2 where id = $1', [call, contact])
  const ref = callLog({ id: call, org: org.id, env: 'production', agent: 'desk' })
  await log.append(ref, [{ type: 'user.message', data: { text: 'live' } }])
  assert.deepEqual([await unread(eva), await unread({ client: eva.client.in('production') })], [0, 1])
  const admin = await org.person('admin')
  assert.equal((await admin.client.delete(`/v1/members/${eva.id}`)).status, 204)
  assert.equal((await sql('select from thread_reads where member = $1', [eva.id])).rowCount, 0)
})

test('a thread that is not there is 404, and a mark is a number', async () => {
  const { eva, hear } = await newThread()
  await hear('one')
  const read = (of: string) => `/v1/agents/desk/threads/${of}/read`
  refused(await eva.client.put(read('+1555'), {}), 404, 'there is no thread of +1555 with desk')
  refused(await eva.client.put(read(contact), { up_to: 'now' }), 422, 'up_to: must be a number')
  for (const up_to of [-1, 1e300])
    refused(await eva.client.put(read(contact), { up_to }), 422, 'up_to: must be the ts of a turn')
})
