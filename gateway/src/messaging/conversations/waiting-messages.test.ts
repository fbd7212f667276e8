import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { AppClient } from '../../../testing/agents/app-client.ts'
import { noLimit } from '../../../testing/deployment.ts'
import {
  newContact,
  startMessagingDeployment,
  type MessagingAgent,
} from '../../../testing/messaging/messaging-deployment.ts'
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

const waitingFor = async ({ agent }: MessagingAgent) =>
  (await deployment.sql('select message_id from waiting_messages where agent = $1', [agent])).rows.length
const taken = async (messagingAgent: MessagingAgent, count: number) => {
  await until(
    `${count} are taken`,
    async () => (await messagingAgent.agentEntries('message.taken')).length === count,
  )
  return messagingAgent.agentEntries('message.taken')
}

test("a message for an agent that no app holds waits: no call, and an entry on the agent's log (N-075, N-076, N-499, ND-79)", async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  const contact = newContact()
  const sentAt = new Date(Math.floor(clock.now().getTime() / 1000) * 1000)
  const messageId = await messagingAgent.write(contact, 'Anybody?', { name: 'Ana', sentAt })
  assert.deepEqual(await messagingAgent.calls(contact), [])
  const entries = await messagingAgent.agentEntries()
  assert.deepEqual(
    entries.map(({ type, data }) => ({ type, data })),
    [
      {
        type: 'message.waiting',
        data: {
          number: messagingAgent.number,
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

test('a message to an agent that no app declared yet is kept though the org has all the agents of its quota (N-075)', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  const at = `/v1/ops/orgs/${org.slug}`
  const { quotas } = (await deployment.operator.get(at)).body
  await deployment.operator.put(`${at}/quotas`, { ...quotas, agents: 0 })
  await messagingAgent.write(newContact(), 'Anybody?')
  assert.equal(await waitingFor(messagingAgent), 1)
  await deployment.operator.put(`${at}/quotas`, quotas)
})

test('when an app declares the agent what waits is taken oldest first over all contacts, each once and into the call of its contact, also after a restart (N-077, N-078, N-079, N-095, N-499, ND-79, T-70, T-72)', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  const stopping = await deployment.another()
  const [ana, luis] = [newContact(), newContact()]
  const a1 = await messagingAgent.write(ana, 'A1', {}, stopping)
  const b1 = await messagingAgent.write(luis, 'B1', {}, stopping)
  const a2 = await messagingAgent.write(ana, 'A2', {}, stopping)
  await stopping[Symbol.asyncDispose]()
  const app = await messagingAgent.app()
  assert.deepEqual(await messagingAgent.texts(ana, 2), ['You said A1', 'You said A2'])
  assert.deepEqual(await messagingAgent.texts(luis, 1), ['You said B1'])
  const [anas, luiss] = [await messagingAgent.call(ana), await messagingAgent.call(luis)]
  const entries = await taken(messagingAgent, 3)
  assert.deepEqual(
    entries.map(({ data }) => data),
    [
      { messageId: a1, call: anas },
      { messageId: b1, call: luiss },
      { messageId: a2, call: anas },
    ],
  )
  assert.equal(await waitingFor(messagingAgent), 0)

  await app.close()
  const restarted = await deployment.another()
  await messagingAgent.app({}, restarted)
  await messagingAgent.write(ana, 'A3', {}, restarted)
  assert.deepEqual(await messagingAgent.texts(ana, 3), ['You said A1', 'You said A2', 'You said A3'])
  assert.equal((await messagingAgent.agentEntries('message.taken')).length, 3)
  assert.equal(platform.textsTo(luis).length, 1)
  await restarted[Symbol.asyncDispose]()
})

test('two apps that come at the same time to two gateways take every message once (N-079, ND-88)', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  const other = await deployment.another()
  const contacts = Array.from({ length: 10 }, newContact)
  for (const contact of contacts) for (const text of ['one', 'two']) await messagingAgent.write(contact, text)
  await Promise.all([messagingAgent.app(), messagingAgent.app({}, other)])
  for (const contact of contacts)
    assert.deepEqual(await messagingAgent.texts(contact, 2), ['You said one', 'You said two'])
  const ids = (await taken(messagingAgent, 20)).map(({ data }) => data.messageId)
  const waited = (await messagingAgent.agentEntries('message.waiting')).map(({ data }) => data.messageId)
  assert.deepEqual(ids, waited)
  assert.equal(model.asked.length, 20)
  await other[Symbol.asyncDispose]()
})

test('a message that is kept while an app connects is taken at once (N-077)', async ({ mock }) => {
  const messagingAgent = await messaging.newMessagingAgent()
  const contact = newContact()
  const { waitingMessages } = deployment.gateway.services
  mock.method(waitingMessages, 'poll', async () => {})
  const { mock: held } = mock.method(waitingMessages, 'isHeld', async () => {
    held.restore()
    await messagingAgent.app() // comes between the look for one and the keeping
    return false
  })
  await messagingAgent.write(contact, 'Just now')
  assert.deepEqual(await messagingAgent.texts(contact, 1), ['You said Just now'])
})

test('a message waits behind older ones of its contact, also if an app holds the agent by now (N-051, N-077)', async ({
  mock,
}) => {
  const messagingAgent = await messaging.newMessagingAgent()
  const [ana, luis] = [newContact(), newContact()]
  const { waitingMessages } = deployment.gateway.services
  await messagingAgent.write(ana, 'A1')
  const { mock: taking } = mock.method(waitingMessages, 'take', () => {})
  await messagingAgent.app()
  await messagingAgent.write(ana, 'A2')
  await messagingAgent.write(luis, 'B1')
  assert.deepEqual(await messagingAgent.texts(luis, 1), ['You said B1'])
  assert.deepEqual(await messagingAgent.calls(ana), [])
  taking.restore()
  await waitingMessages.poll()
  assert.deepEqual(await messagingAgent.texts(ana, 2), ['You said A1', 'You said A2'])
})

test('an app that leaves ends no conversation: what comes meanwhile waits, and is answered in the same call (ND-78)', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  const app = await messagingAgent.app()
  const contact = newContact()
  await messagingAgent.write(contact, 'one')
  await messagingAgent.texts(contact, 1)
  await app.close()
  await until(
    'no app holds the agent',
    async () => (await messagingAgent.agentEntries('agent.released')).length === 1,
  )
  await messagingAgent.write(contact, 'two')
  await messagingAgent.write(contact, 'three')
  assert.equal((await messagingAgent.agentEntries('message.waiting')).length, 2)
  await messagingAgent.app()
  assert.deepEqual(await messagingAgent.texts(contact, 3), ['You said one', 'You said two', 'You said three'])
  const call = await messagingAgent.call(contact)
  assert.deepEqual(
    (await taken(messagingAgent, 2)).map(({ data }) => data.call),
    [call, call],
  )
})

test("what waits is the newest app's, and never that of a person's own copy (ND-88)", async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  const contact = newContact()
  await messagingAgent.write(contact, 'Hello')
  const developer = await org.person('developer')
  const own = await AppClient.connect(deployment.url, developer.key)
  assert.equal((await own.register(messagingAgent.agent)).type, 'agent.registered')
  await deployment.gateway.services.waitingMessages.poll()
  assert.equal(await waitingFor(messagingAgent), 1)
  const older = await messagingAgent.app()
  await messagingAgent.texts(contact, 1)
  const newer = await messagingAgent.app()
  const another = newContact()
  await messagingAgent.write(another, 'Hello')
  await messagingAgent.texts(another, 1)
  await newer.nextOf('msgapp.started')
  const started = older.frames.filter(({ type }: { type: string }) => type === 'msgapp.started')
  assert.deepEqual(
    started.map(({ data }) => data.call.from),
    [contact],
  )
  assert.equal(own.frames.filter(({ type }: { type: string }) => type.startsWith('msgapp')).length, 0)
})

test('a message past the calls that an org may run at once waits until one ends', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  await messagingAgent.app()
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
  await messagingAgent.write(ana, 'first')
  await messagingAgent.texts(ana, 1)
  await messagingAgent.write(luis, 'second')
  assert.equal(await waitingFor(messagingAgent), 1)
  await messagingAgent.write(ana, 'third')
  await messagingAgent.texts(ana, 2)
  assert.equal(await waitingFor(messagingAgent), 1)
  const { client } = await org.person('admin')
  const ended = await client.post(`/v1/calls/${await messagingAgent.call(ana)}/verbs`, { verb: 'end' })
  assert.equal(ended.status, 202, ended.text)
  assert.deepEqual(await messagingAgent.texts(luis, 1), ['You said second'])
  await quota(null)
})

test('what waited for a day is taken off and makes no call, counted from when it was written (N-080, N-528, ND-79, T-71)', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  const [ana, luis, eva] = [newContact(), newContact(), newContact()]
  const late = { sentAt: later(clock.now(), -23 * hourMs) }
  const id = await messagingAgent.write(ana, 'written yesterday', late)
  await messagingAgent.write(luis, 'written at noon')
  clock.forward(2 * hourMs)
  await messagingAgent.app()
  assert.deepEqual(await messagingAgent.texts(luis, 1), ['You said written at noon'])
  assert.deepEqual(await messagingAgent.calls(ana), [])
  assert.equal((await taken(messagingAgent, 1)).length, 1)
  const again = await messagingAgent.deliver({
    contact: ana,
    text: { body: 'written yesterday' },
    ...late,
    id,
  })
  assert.deepEqual(again, { status: 200, body: { received: 0 } })
  assert.deepEqual(await messagingAgent.calls(ana), [])

  const unheld = await messaging.newMessagingAgent()
  await unheld.write(eva, 'for nobody')
  clock.forward(24 * hourMs + minuteMs)
  await deployment.gateway.services.waitingMessages.deleteExpired()
  assert.equal(await waitingFor(unheld), 0)
  assert.match(deployment.log(), /messages waited for a day and were dropped/)
})
