import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { done } from '../../../testing/agents/test-agents.ts'
import {
  contactOf,
  type MessagingFault,
  type MessagingRequest,
} from '../../../testing/messaging/messaging-fake.ts'
import { newContact, startMessagingDeployment } from '../../../testing/messaging/messaging-deployment.ts'
import { until } from '../../../testing/until.ts'

const messaging = await startMessagingDeployment()
after(() => messaging[Symbol.asyncDispose]())
const { deployment, model, org, platform } = messaging
const eva = await org.person('supervisor')

beforeEach(() => {
  model.reply = ({ messages }) => `You said ${messages.at(-1)?.content}`
  platform.fault = () => undefined
  platform.onSent = () => {}
})

const posts = (contact: string) =>
  platform.requests.filter((request) => request.method === 'POST' && contactOf(request) === contact)

/** The first sends to a contact fail in these ways, one after the other. */
const failsFirst = (contact: string, ...faults: MessagingFault[]) => {
  platform.fault = (request) =>
    contactOf(request) === contact ? faults[posts(contact).length - 1] : undefined
}

const busy = {
  status: 400,
  code: 131056,
  message: '(#131056) (Business Account, Consumer Account) pair rate limit hit',
  details: 'Too many messages to the same phone number',
}

test('a message that the platform is too busy for is sent again after a pause that doubles, before any later one', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  const app = await messagingAgent.app()
  const contact = newContact()
  failsFirst(contact, { status: 429, code: 130429, message: '(#130429) Rate limit hit' }, busy)
  await messagingAgent.write(contact, 'one')
  await until('it was tried', () => posts(contact).length > 0)
  const call = await messagingAgent.call(contact)
  app.send({ type: 'call.say', call, text: 'And this.' })
  await until('the gateway has it', async () =>
    (await messagingAgent.entries(call, 'agent.message')).some(({ data }) => data.text === 'And this.'),
  )
  await messagingAgent.write(contact, 'two')
  assert.deepEqual(await messagingAgent.texts(contact, 3), ['You said one', 'And this.', 'You said two'])
  assert.equal(posts(contact).length, 5)
  assert.deepEqual(await messagingAgent.entries(call, 'error'), [])
  const { rows } = await deployment.sql(
    `select attempts, extract(epoch from settled_at - first_attempted_at) as waited_s
     from sends where call = $1 order by seq limit 1`,
    [call],
  )
  assert.equal(rows[0].attempts, 3)
  assert.ok(Number(rows[0].waited_s) >= 2.9, `waited ${rows[0].waited_s} s`)
})

test('a message of which the platform broke off the answer is not sent again if a receipt of it comes, and is if none comes for ten seconds', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  await messagingAgent.app()
  const [taken, lost] = [newContact(), newContact()]
  platform.onSent = async (sent) => {
    if (sent.to === taken && posts(taken).length === 1) await new Promise(() => {})
  }
  failsFirst(lost, 'breaks')
  await messagingAgent.write(taken, 'one')
  await messagingAgent.write(lost, 'one')
  const [sent] = await until('the platform took it', () => {
    const found = platform.sent.filter(({ to }) => to === taken)
    return found.length > 0 && found
  })
  assert.ok(sent)
  await messagingAgent.status(sent, 'delivered')
  await messagingAgent.write(taken, 'two')
  assert.deepEqual(await messagingAgent.texts(taken, 2), ['You said one', 'You said two'])
  assert.deepEqual(await messagingAgent.texts(lost, 1), ['You said one'])
  assert.deepEqual([posts(taken).length, posts(lost).length], [2, 2])
  const waitedS = await until('the send is settled', async () => {
    const { rows } = await deployment.sql(
      `select extract(epoch from s.settled_at - s.first_attempted_at) as waited_s
       from sends s join calls c on c.id = s.call where c.contact = $1 and s.settled_at is not null`,
      [lost],
    )
    return rows[0]?.waited_s
  })
  assert.ok(Number(waitedS) >= 9.9, `waited ${waitedS} s`)
})

test('a message that the platform does not take for a quarter of an hour is given up, and the log says how often it was tried', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  await messagingAgent.app()
  const contact = newContact()
  failsFirst(contact, busy, busy)
  await messagingAgent.write(contact, 'one')
  await until('it was tried', () => posts(contact).length === 1)
  const call = await messagingAgent.call(contact)
  await deployment.sql(
    `update sends set first_attempted_at = first_attempted_at - interval '15 minutes' where call = $1`,
    [call],
  )
  const [error] = await until('it is given up', async () => {
    const errors = await messagingAgent.entries(call, 'error')
    return errors.length > 0 && errors
  })
  assert.deepEqual([error?.data.code, error?.data.platform_code], ['msgapp_not_sent', 131056])
  assert.match(error?.data.detail, /pair rate limit hit: Too many .*; it was tried 2 times in 15 minutes$/)
  await messagingAgent.write(contact, 'two')
  assert.deepEqual(await messagingAgent.texts(contact, 1), ['You said two'])
})

test('two gateways that look at the same call at once send a message that has to be tried again once', async () => {
  const [one, two] = [await deployment.another(), await deployment.another()]
  const messagingAgent = await messaging.newMessagingAgent()
  await messagingAgent.app()
  const contact = newContact()
  failsFirst(contact, busy)
  await messagingAgent.write(contact, 'one', {}, one)
  await until('it was tried', () => posts(contact).length === 1)
  const call = await messagingAgent.call(contact)
  for (const { gateway } of [one, two]) gateway.services.callOutlets.poll()
  await one[Symbol.asyncDispose]()
  assert.deepEqual(await messagingAgent.texts(contact, 1), ['You said one'])
  const settled = 'select from sends where call = $1 and settled_at is not null'
  await until('it is settled', async () => (await deployment.sql(settled, [call])).rowCount === 1)
  await messagingAgent.write(contact, 'two')
  assert.deepEqual(await messagingAgent.texts(contact, 2), ['You said one', 'You said two'])
  await two[Symbol.asyncDispose]()
})

test('what an ended call has left to send is sent before the answers of the next call of the same contact', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  await messagingAgent.app()
  const contact = newContact()
  await messagingAgent.write(contact, 'one')
  await messagingAgent.texts(contact, 1)
  const call = await messagingAgent.call(contact)
  const isGoodbye = ({ body }: MessagingRequest) => JSON.stringify(body ?? {}).includes('Goodbye.')
  platform.fault = (request) =>
    isGoodbye(request) && posts(contact).filter(isGoodbye).length <= 2 ? busy : undefined
  const act = async (asked: object) => {
    const answer = await eva.client.post(`/v1/calls/${call}/verbs`, asked)
    assert.equal(answer.status, 202, answer.text)
  }
  await act({ verb: 'say', text: 'Goodbye.' })
  await act({ verb: 'end' })
  await messagingAgent.write(contact, 'two')
  assert.deepEqual(await messagingAgent.texts(contact, 3), ['You said one', 'Goodbye.', 'You said two'])
  assert.equal((await messagingAgent.calls(contact)).length, 2)
})

const failed = {
  errors: [
    {
      code: 131047,
      title: 'Re-engagement message',
      message: 'Re-engagement message',
      error_data: { details: 'Message failed to send because more than 24 hours have passed.' },
    },
  ],
}
const whyFailed =
  'the messaging platform says: (#131047) Re-engagement message: Message failed to send because more than 24 hours have passed.; send an approved template instead'

test('a failed delivery is an error in the log, an event for the app and the state of the thread, once however often it is reported', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  const app = await messagingAgent.app()
  const contact = newContact()
  await messagingAgent.write(contact, 'one')
  await messagingAgent.texts(contact, 1)
  const sent = platform.sent.find(({ to }) => to === contact)
  assert.ok(sent)
  const call = await messagingAgent.call(contact)
  const [turn] = await messagingAgent.entries(call, 'agent.message')
  const thread = async () => {
    const query = new URLSearchParams({ contact }).toString()
    return done(await eva.client.get(`/v1/agents/${messagingAgent.agent}/threads?${query}`)).threads[0]
  }
  await until('it is sent', async () => (await thread()).turns[1].delivery?.status === 'sent')
  assert.equal((await thread()).failure, null)
  for (let times = 0; times < 2; times += 1) await messagingAgent.status(sent, 'failed', failed)
  const errors = await messagingAgent.entries(call, 'error')
  assert.deepEqual(
    errors.map(({ data }) => data),
    [
      {
        code: 'msgapp_not_delivered',
        messageId: turn?.data.messageId,
        detail: whyFailed,
        platform_code: 131047,
      },
    ],
  )
  const told = await until('the app gets it', () => app.frames.find(({ type }) => type === 'msgapp.status'))
  assert.deepEqual(told.data, {
    status: 'failed',
    recipient: contact,
    messageId: sent.id,
    error: { code: 131047, detail: whyFailed },
  })
  const { turns, failure } = await thread()
  assert.deepEqual(turns[1].delivery, { status: 'failed', code: 131047, detail: whyFailed })
  assert.deepEqual([failure.code, failure.detail], [131047, whyFailed])
  await messagingAgent.status(sent, 'sent')
  assert.equal((await thread()).turns[1].delivery.status, 'failed')
  await messagingAgent.status(sent, 'delivered')
  await messagingAgent.status(sent, 'read')
  assert.deepEqual((await thread()).turns[1].delivery, { status: 'read', code: null, detail: null })
  assert.equal((await thread()).failure, null)
})

test("a delivery that fails after its call has ended is in the agent's own log and in the thread", async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  await messagingAgent.app()
  const contact = newContact()
  await messagingAgent.write(contact, 'one')
  await messagingAgent.texts(contact, 1)
  const sent = platform.sent.find(({ to }) => to === contact)
  assert.ok(sent)
  const call = await messagingAgent.call(contact)
  done(await eva.client.post(`/v1/calls/${call}/verbs`, { verb: 'end' }))
  await messagingAgent.status(sent, 'failed')
  const [error] = await messagingAgent.agentEntries('error')
  assert.deepEqual(
    [error?.data.code, error?.data.call, error?.data.detail],
    ['msgapp_not_delivered', call, 'the messaging platform did not deliver it and gives no reason'],
  )
})

test('what the agent says after the window has closed is refused by the platform, and the log names templates', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  const app = await messagingAgent.app()
  const contact = newContact()
  await messagingAgent.write(contact, 'one')
  await messagingAgent.texts(contact, 1)
  const call = await messagingAgent.call(contact)
  messagingAgent.wrote(contact, new Date(0))
  app.send({ type: 'call.say', call, text: 'Too late' })
  const [error] = await until('the log says so', async () => {
    const errors = await messagingAgent.entries(call, 'error')
    return errors.length > 0 && errors
  })
  assert.deepEqual([error?.data.code, error?.data.platform_code], ['msgapp_not_sent', 131047])
  assert.match(error?.data.detail, /; send an approved template instead$/)
  assert.equal(posts(contact).length, 2)
})
