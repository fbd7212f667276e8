import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import {
  newContact,
  startMessagingDeployment,
  type MessagingAgent,
} from '../../../testing/messaging/messaging-deployment.ts'
import { whileHeld } from '../../../testing/calls/spoken-calls.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { until } from '../../../testing/until.ts'
import { hourMs, minuteMs } from '../../foundation/clock.ts'

const messaging = await startMessagingDeployment()
after(() => messaging[Symbol.asyncDispose]())
const { deployment, org, model, platform } = messaging
const { clock, sql } = deployment
const eva = await org.person('supervisor')

beforeEach(() => {
  model.reply = ({ messages }) => `You said: ${messages.at(-1)?.content}`
})

const at = ({ agent }: MessagingAgent, contact: string) => `/v1/agents/${agent}/threads/${contact}/messages`
const post = (messagingAgent: MessagingAgent, contact: string, text: string, client = eva.client) =>
  client.post(at(messagingAgent, contact), { text })

/** A contact whose first message was answered. */
async function answered() {
  const messagingAgent = await messaging.newMessagingAgent()
  const app = await messagingAgent.app()
  const contact = newContact()
  await messagingAgent.write(contact, 'Hello')
  assert.deepEqual(await messagingAgent.texts(contact, 1), ['You said: Hello'])
  return { messagingAgent, app, contact, call: await messagingAgent.call(contact) }
}

const hasEnded = (contact: string) =>
  `the conversation with ${contact} has ended: send a template, or wait until they write`

test('what a person writes goes to the contact as the agent, from its number, and is a turn of the call (N-329, N-330, N-331, ND-85)', async () => {
  const { messagingAgent, app, contact, call } = await answered()
  const asked = model.asked.length
  const written = await post(messagingAgent, contact, 'This is Eva. One moment, please.')
  assert.deepEqual([written.status, written.body], [202, { contact, call }])
  await messagingAgent.texts(contact, 2)
  const sent = platform.sent.findLast(({ to }) => to === contact)
  assert.deepEqual(
    [sent?.text, sent?.phone_number_id, sent?.token],
    [
      'This is Eva. One moment, please.',
      messagingAgent.line.phone_number_id,
      messagingAgent.line.access_token,
    ],
  )
  const turn = (await messagingAgent.entries(call, 'agent.message')).at(-1)
  const { messageId, ...data } = turn?.data ?? {}
  assert.deepEqual(data, { text: 'This is Eva. One moment, please.', source: 'human', by: eva.id })
  assert.match(messageId, /^msg_/)
  const told = await until('the app gets it', () =>
    app.frames.findLast(({ type, data: said }) => type === 'msgapp.response' && said.source),
  )
  assert.deepEqual(told.data, {
    sessionId: call,
    to: contact,
    text: 'This is Eva. One moment, please.',
    source: 'human',
  })
  assert.equal(model.asked.length, asked)
  const { threads } = done(await eva.client.get(`/v1/agents/${messagingAgent.agent}/threads`))
  assert.deepEqual(
    threads[0].turns.map(({ who, text }: { who: string; text: string }) => [who, text]),
    [
      ['contact', 'Hello'],
      ['agent', 'You said: Hello'],
      ['supervisor', 'This is Eva. One moment, please.'],
    ],
  )
})

test('writing takes nothing over: what the contact writes next is answered by the model (T-78, ND-85)', async () => {
  const { messagingAgent, contact, call } = await answered()
  done(await post(messagingAgent, contact, 'It is on its way.'))
  await messagingAgent.texts(contact, 2)
  await messagingAgent.write(contact, 'Thanks')
  assert.deepEqual(await messagingAgent.texts(contact, 3), [
    'You said: Hello',
    'It is on its way.',
    'You said: Thanks',
  ])
  assert.deepEqual(await messagingAgent.entries(call, 'call.taken_over'), [])
  assert.equal((await messagingAgent.calls(contact))[0]?.state, 'open')
})

test('in a conversation that a supervisor took over others may write too (ND-85)', async () => {
  const { messagingAgent, contact, call } = await answered()
  const other = await org.person('supervisor')
  done(await other.client.post(`/v1/calls/${call}/verbs`, { verb: 'takeover' }))
  done(await post(messagingAgent, contact, 'From the desk.'))
  assert.equal((await messagingAgent.texts(contact, 2)).at(-1), 'From the desk.')
  assert.equal((await messagingAgent.calls(contact))[0]?.state, 'held')
})

test('it is written by way of any gateway, and by a key that names no person under its label', async () => {
  const { messagingAgent, contact, call } = await answered()
  const other = await deployment.another()
  const { client } = await org.serverToken('sandbox', { scopes: ['talk'] })
  done(await post(messagingAgent, contact, 'By the program.', client))
  const elsewhere = other.anonymous.as(eva.key)
  done(await post(messagingAgent, encodeURIComponent(contact), 'By the other gateway.', elsewhere))
  assert.deepEqual((await messagingAgent.texts(contact, 3)).slice(1), [
    'By the program.',
    'By the other gateway.',
  ])
  const turns = await messagingAgent.entries(call, 'agent.message')
  assert.deepEqual(
    turns.slice(1).map(({ data }) => data.by),
    ['ci', eva.id],
  )
})

test('a text is 1 to 4096 characters and not blank, or 422 (ND-85)', async () => {
  const { messagingAgent, contact } = await answered()
  const sentence = 'text: must be 1 to 4096 characters, and not all of them blank'
  for (const text of ['', ' \n\t ', 'x'.repeat(4097)])
    refused(await post(messagingAgent, contact, text), 422, sentence)
  refused(await eva.client.post(at(messagingAgent, contact), {}), 422, 'text: is required')
  const longest = 'x'.repeat(4096)
  done(await post(messagingAgent, contact, longest))
  assert.equal((await messagingAgent.texts(contact, 2)).at(-1), longest)
})

test('a contact that the agent never heard of is 404, also if another agent or environment knows them (ND-85)', async () => {
  const { messagingAgent, contact } = await answered()
  const stranger = newContact()
  const unknown = (agent: string, of: string) => `there is no thread of ${of} with ${agent}`
  refused(await post(messagingAgent, stranger, 'Hello'), 404, unknown(messagingAgent.agent, stranger))
  refused(await post(messagingAgent, 'nonsense', 'Hello'), 404, unknown(messagingAgent.agent, 'nonsense'))
  const other = await messaging.newMessagingAgent()
  refused(await post(other, contact, 'Hello'), 404, unknown(other.agent, contact))
  const live = await org.serverToken('production', { scopes: ['talk'] })
  refused(
    await post(messagingAgent, contact, 'Hello', live.client),
    404,
    unknown(messagingAgent.agent, contact),
  )
})

test('after a call by phone nothing is written, nor while messages only wait (N-355, ND-85)', async () => {
  const { messagingAgent, contact } = await answered()
  const { client } = await org.serverToken('sandbox')
  const { call } = done(await client.post('/v1/calls', { agent: messagingAgent.agent, channel: 'web' }))
  await sql(`update calls set channel = 'phone', contact = $2 where id = $1`, [call, contact])
  refused(
    await post(messagingAgent, contact, 'Hello?'),
    409,
    `the newest call with ${contact} is by phone, not by message: send a template, or wait until they write`,
  )
  const unheld = await messaging.newMessagingAgent()
  const waiting = newContact()
  await unheld.write(waiting, 'Anybody?')
  refused(
    await post(unheld, waiting, 'Hello?'),
    409,
    `there is no conversation with ${waiting} yet: what they wrote waits for an app that holds ${unheld.agent}`,
  )
  assert.deepEqual([platform.textsTo(contact).length, platform.textsTo(waiting).length], [1, 0])
})

test('a conversation that was ended, or quiet for two hours, is sealed although the day runs on: nothing is written, and no other opens (N-357, T-76, ND-85)', async () => {
  const ends = await answered()
  done(await eva.client.post(`/v1/calls/${ends.call}/verbs`, { verb: 'end' }))
  refused(await post(ends.messagingAgent, ends.contact, 'Hello?'), 409, hasEnded(ends.contact))
  const { messagingAgent, contact } = await answered()
  clock.forward(2 * hourMs) // refused at once, whether or not a gateway has ended it by then
  refused(await post(messagingAgent, contact, 'Hello?'), 409, hasEnded(contact))
  clock.forward(hourMs)
  refused(await post(messagingAgent, contact, 'Hello?'), 409, hasEnded(contact))
  await until('it ended', async () => (await messagingAgent.calls(contact))[0]?.reason === 'timeout')
  refused(await post(messagingAgent, contact, 'Hello?'), 409, hasEnded(contact))
  assert.equal((await messagingAgent.calls(contact)).length, 1)
  assert.deepEqual(platform.textsTo(contact), ['You said: Hello'])
})

test('the window is a day from what the contact last wrote, whatever was written to them since, which keeps the conversation open (N-356, T-77, ND-85)', async () => {
  const { messagingAgent, contact } = await answered()
  const wroteAt = Math.floor(clock.now().getTime() / 1000) * 1000
  for (let hour = 1; hour < 24; hour += 1) {
    clock.forward(hourMs)
    done(await post(messagingAgent, contact, `Hour ${hour}`))
  }
  clock.forward(hourMs - minuteMs)
  done(await post(messagingAgent, contact, 'At the last minute'))
  await messagingAgent.texts(contact, 25)
  clock.forward(wroteAt + 24 * hourMs - clock.now().getTime() + 1000)
  refused(
    await post(messagingAgent, contact, 'Hour 24'),
    409,
    `${contact} last wrote 24 hours ago or longer: send an approved template, or wait until they write`,
  )
  const [thread] = done(await eva.client.get(`/v1/agents/${messagingAgent.agent}/threads`)).threads
  assert.equal(thread.state, 'open')
  assert.ok(thread.window_closes_at <= clock.now().getTime() / 1000)
  await messagingAgent.write(contact, 'I am back')
  done(await post(messagingAgent, contact, 'So are we'))
  const texts = await messagingAgent.texts(contact, 27)
  assert.deepEqual(texts.slice(1, 25).at(-1), 'At the last minute')
  assert.equal(texts.includes('Hour 24'), false)
})

test('of several that write at the same time each is sent once, in the order of the log', async () => {
  const { messagingAgent, contact, call } = await answered()
  const texts = Array.from({ length: 10 }, (_, n) => `Number ${n}`)
  const answers = await Promise.all(texts.map((text) => post(messagingAgent, contact, text)))
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([202]))
  const sent = (await messagingAgent.texts(contact, 11)).slice(1)
  const turns = (await messagingAgent.entries(call, 'agent.message')).slice(1).map(({ data }) => data.text)
  assert.deepEqual(sent, turns)
  assert.deepEqual(sent.toSorted(), texts)
})

test('written while the conversation ends, it is refused or comes before the end', async () => {
  const { messagingAgent, contact, call } = await answered()
  let answers: { status: number; body: { detail?: string } }[] = []
  await whileHeld(
    deployment,
    'select from logs where id = $1 for update',
    call,
    2,
    async ({ areWaiting }) => {
      const ending = eva.client.post(`/v1/calls/${call}/verbs`, { verb: 'end' })
      await until('it waits', async () => {
        const { rows } = await sql(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
        return rows.length > 0
      })
      const writing = post(messagingAgent, contact, 'Wait!')
      await areWaiting()
      answers = [] as typeof answers
      void Promise.all([ending, writing]).then((both) => (answers = both))
    },
  )
  await until('both are answered', () => answers.length === 2)
  const [ended, written] = answers
  assert.deepEqual([ended?.status, written?.status, written?.body.detail], [202, 409, hasEnded(contact)])
  assert.equal((await messagingAgent.entries(call)).at(-1)?.type, 'call.ended')
})
