import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { AppClient } from '../../../testing/agents/app-client.ts'
import { noLimit } from '../../../testing/deployment.ts'
import { newContact, startMessagingDeployment } from '../../../testing/messaging/messaging-deployment.ts'
import { until } from '../../../testing/until.ts'
import { hourMs, later, minuteMs } from '../../foundation/clock.ts'

const messaging = await startMessagingDeployment()
after(() => messaging[Symbol.asyncDispose]())
const { deployment, model, org, platform } = messaging
const { clock } = deployment

beforeEach(() => {
  model.reply = ({ messages }) => `You said ${messages.at(-1)?.content}`
  model.asked.length = 0
  platform.sent.length = 0
})

type Desk = Awaited<ReturnType<typeof messaging.newDesk>>
const waitingFor = async ({ agent }: Desk) =>
  (await deployment.sql('select message_id from waiting_messages where agent = $1', [agent])).rows.length
const taken = async (desk: Desk, count: number) => {
  await until(`${count} are taken`, async () => (await desk.agentEntries('message.taken')).length === count)
  return desk.agentEntries('message.taken')
}

test("a message for an agent that nobody holds waits: no call, and an entry on the agent's log (N-075, N-076, N-499, ND-79)", async () => {
  const desk = await messaging.newDesk()
  const contact = newContact()
  const sentAt = new Date(Math.floor(clock.now().getTime() / 1000) * 1000)
  const messageId = await desk.write(contact, 'Anybody?', { name: 'Ana', sentAt })
  assert.deepEqual(await desk.calls(contact), [])
  const entries = await desk.agentEntries()
  assert.deepEqual(
    entries.map(({ type, data }) => ({ type, data })),
    [
      {
        type: 'message.waiting',
        data: {
          number: desk.number,
          contact,
          name: 'Ana',
          messageId,
          type: 'text',
          text: 'Anybody?',
          sentAt: sentAt.getTime(),
        },
      },
    ],
  )
  assert.equal(model.asked.length, 0)
})

test('a message to an agent that nobody named yet is kept though the org has all the agents of its quota (N-075)', async () => {
  const desk = await messaging.newDesk()
  const at = `/v1/ops/orgs/${org.slug}`
  const { quotas } = (await deployment.operator.get(at)).body
  await deployment.operator.put(`${at}/quotas`, { ...quotas, agents: 0 })
  await desk.write(newContact(), 'Anybody?')
  assert.equal(await waitingFor(desk), 1)
  await deployment.operator.put(`${at}/quotas`, quotas)
})

test('when an app declares the agent what waits is taken oldest first over all contacts, each once and into the call of its contact, also after a restart (N-077, N-078, N-079, N-095, N-499, ND-79, T-70, T-72)', async () => {
  const desk = await messaging.newDesk()
  const stopping = await deployment.another()
  const [ana, luis] = [newContact(), newContact()]
  const a1 = await desk.write(ana, 'A1', {}, stopping)
  const b1 = await desk.write(luis, 'B1', {}, stopping)
  const a2 = await desk.write(ana, 'A2', {}, stopping)
  await stopping[Symbol.asyncDispose]()
  const app = await desk.app()
  assert.deepEqual(await desk.texts(ana, 2), ['You said A1', 'You said A2'])
  assert.deepEqual(await desk.texts(luis, 1), ['You said B1'])
  const [anas, luiss] = [await desk.call(ana), await desk.call(luis)]
  const entries = await taken(desk, 3)
  assert.deepEqual(
    entries.map(({ data }) => data),
    [
      { messageId: a1, call: anas },
      { messageId: b1, call: luiss },
      { messageId: a2, call: anas },
    ],
  )
  assert.equal(await waitingFor(desk), 0)

  await app.close()
  const restarted = await deployment.another()
  await desk.app({}, restarted)
  await desk.write(ana, 'A3', {}, restarted)
  assert.deepEqual(await desk.texts(ana, 3), ['You said A1', 'You said A2', 'You said A3'])
  assert.equal((await desk.agentEntries('message.taken')).length, 3)
  assert.equal(platform.textsTo(luis).length, 1)
  await restarted[Symbol.asyncDispose]()
})

test('two apps that come at one instant to two gateways take every message once (N-079, ND-88)', async () => {
  const desk = await messaging.newDesk()
  const other = await deployment.another()
  const contacts = Array.from({ length: 10 }, newContact)
  for (const contact of contacts) for (const text of ['one', 'two']) await desk.write(contact, text)
  await Promise.all([desk.app(), desk.app({}, other)])
  for (const contact of contacts)
    assert.deepEqual(await desk.texts(contact, 2), ['You said one', 'You said two'])
  const ids = (await taken(desk, 20)).map(({ data }) => data.messageId)
  const waited = (await desk.agentEntries('message.waiting')).map(({ data }) => data.messageId)
  assert.deepEqual(ids, waited)
  assert.equal(model.asked.length, 20)
  await other[Symbol.asyncDispose]()
})

test('a message that is kept at the very moment an app comes is taken at once (N-077)', async ({ mock }) => {
  const desk = await messaging.newDesk()
  const contact = newContact()
  const { waitingMessages } = deployment.gateway.services
  mock.method(waitingMessages, 'poll', async () => {})
  const { mock: held } = mock.method(waitingMessages, 'isHeld', async () => {
    held.restore()
    await desk.app() // comes between the look for one and the keeping
    return false
  })
  await desk.write(contact, 'Just now')
  assert.deepEqual(await desk.texts(contact, 1), ['You said Just now'])
})

test('a message waits behind older ones of its contact, also where an app holds the agent by now (N-051, N-077)', async ({
  mock,
}) => {
  const desk = await messaging.newDesk()
  const [ana, luis] = [newContact(), newContact()]
  const { waitingMessages } = deployment.gateway.services
  await desk.write(ana, 'A1')
  const { mock: taking } = mock.method(waitingMessages, 'take', () => {})
  await desk.app()
  await desk.write(ana, 'A2')
  await desk.write(luis, 'B1')
  assert.deepEqual(await desk.texts(luis, 1), ['You said B1'])
  assert.deepEqual(await desk.calls(ana), [])
  taking.restore()
  await waitingMessages.poll()
  assert.deepEqual(await desk.texts(ana, 2), ['You said A1', 'You said A2'])
})

test('an app that leaves ends no conversation: what comes meanwhile waits, and goes on in the same call (ND-78)', async () => {
  const desk = await messaging.newDesk()
  const app = await desk.app()
  const contact = newContact()
  await desk.write(contact, 'one')
  await desk.texts(contact, 1)
  await app.close()
  await until('nobody holds the agent', async () => (await desk.agentEntries('agent.released')).length === 1)
  await desk.write(contact, 'two')
  await desk.write(contact, 'three')
  assert.equal((await desk.agentEntries('message.waiting')).length, 2)
  await desk.app()
  assert.deepEqual(await desk.texts(contact, 3), ['You said one', 'You said two', 'You said three'])
  const call = await desk.call(contact)
  assert.deepEqual(
    (await taken(desk, 2)).map(({ data }) => data.call),
    [call, call],
  )
})

test("what waits is the newest app's, and never that of a person's own copy (ND-88)", async () => {
  const desk = await messaging.newDesk()
  const contact = newContact()
  await desk.write(contact, 'Hello')
  const developer = await org.person('developer')
  const own = await AppClient.connect(deployment.url, developer.key)
  assert.equal((await own.register(desk.agent)).type, 'agent.registered')
  await deployment.gateway.services.waitingMessages.poll()
  assert.equal(await waitingFor(desk), 1)
  const older = await desk.app()
  await desk.texts(contact, 1)
  const newer = await desk.app()
  const another = newContact()
  await desk.write(another, 'Hello')
  await desk.texts(another, 1)
  await newer.nextOf('msgapp.started')
  const started = older.frames.filter(({ type }: { type: string }) => type === 'msgapp.started')
  assert.deepEqual(
    started.map(({ data }) => data.call.from),
    [contact],
  )
  assert.equal(own.frames.filter(({ type }: { type: string }) => type.startsWith('msgapp')).length, 0)
})

test('a message past the calls that an org may run at once waits until one ends', async () => {
  const desk = await messaging.newDesk()
  await desk.app()
  const running = await deployment.sql(
    `select count(*)::int as count from calls c join logs l on l.id = c.id
     where c.org = $1 and c.ended_at is null and l.seq > 0`,
    [org.id],
  )
  const most = running.rows[0].count + 1
  const quota = (concurrent_calls: number | null) =>
    deployment.operator.put(`/v1/ops/orgs/${org.slug}/quotas`, { ...noLimit, concurrent_calls })
  assert.equal((await quota(most)).status, 200)
  const [ana, luis] = [newContact(), newContact()]
  await desk.write(ana, 'first')
  await desk.texts(ana, 1)
  await desk.write(luis, 'second')
  assert.equal(await waitingFor(desk), 1)
  await desk.write(ana, 'third')
  await desk.texts(ana, 2)
  assert.equal(await waitingFor(desk), 1)
  const { client } = await org.person('admin')
  const ended = await client.post(`/v1/calls/${await desk.call(ana)}/verbs`, { verb: 'end' })
  assert.equal(ended.status, 202, ended.text)
  assert.deepEqual(await desk.texts(luis, 1), ['You said second'])
  await quota(null)
})

test('what waited for a day is taken off and makes no call, counted from when it was written (N-080, N-528, ND-79, T-71)', async () => {
  const desk = await messaging.newDesk()
  const [ana, luis, eva] = [newContact(), newContact(), newContact()]
  const late = { sentAt: later(clock.now(), -23 * hourMs) }
  const id = await desk.write(ana, 'written yesterday', late)
  await desk.write(luis, 'written at noon')
  clock.forward(2 * hourMs)
  await desk.app()
  assert.deepEqual(await desk.texts(luis, 1), ['You said written at noon'])
  assert.deepEqual(await desk.calls(ana), [])
  assert.equal((await taken(desk, 1)).length, 1)
  const again = await desk.deliver({ contact: ana, text: { body: 'written yesterday' }, ...late, id })
  assert.deepEqual(again, { status: 200, body: { received: 0 } })
  assert.deepEqual(await desk.calls(ana), [])

  const unheld = await messaging.newDesk()
  await unheld.write(eva, 'for nobody')
  clock.forward(24 * hourMs + minuteMs)
  await deployment.gateway.services.waitingMessages.deleteExpired()
  assert.equal(await waitingFor(unheld), 0)
  assert.match(deployment.log(), /messages waited for a day and were dropped/)
})
