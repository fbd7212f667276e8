import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { done } from '../../../testing/agents/test-agents.ts'
import { refused } from '../../../testing/client.ts'
import {
  newContact,
  startMessagingDeployment,
  type MessagingAgent,
} from '../../../testing/messaging/messaging-deployment.ts'
import { newLine } from '../../../testing/telephony/number-fixture.ts'
import { until } from '../../../testing/until.ts'
import { hourMs } from '../../foundation/clock.ts'

const messaging = await startMessagingDeployment()
after(() => messaging[Symbol.asyncDispose]())
const { deployment, org, model, platform } = messaging
const eva = await org.person('supervisor')

beforeEach(() => {
  model.reply = ({ messages }) => `You said: ${messages.at(-1)?.content}`
  platform.fault = () => undefined
})

const reminder = {
  name: 'reminder',
  components: [{ type: 'BODY', text: 'Hello {{1}}, see you at {{2}}.' }],
}
const listOf = ({ agent }: MessagingAgent, query = '', client = eva.client) =>
  client.get(`/v1/agents/${agent}/templates${query}`)
const send = ({ agent }: MessagingAgent, contact: string, body: object, client = eva.client) =>
  client.post(`/v1/agents/${agent}/threads/${contact}/templates`, body)
const filled = { name: 'reminder', variables: { 1: 'Ana', 2: 'noon' } }

/** A contact whose conversation has ended, and whose window is over. */
async function longAgo() {
  const messagingAgent = await messaging.newMessagingAgent()
  const app = await messagingAgent.app()
  const contact = newContact()
  await messagingAgent.write(contact, 'Hello', {
    sentAt: new Date(deployment.clock.now().getTime() - 23.9 * hourMs),
  })
  await messagingAgent.texts(contact, 1)
  const call = await messagingAgent.call(contact)
  done(await eva.client.post(`/v1/calls/${call}/verbs`, { verb: 'end' }))
  messagingAgent.wrote(contact, new Date(0))
  await deployment.sql(
    `update conversations set wrote_at = wrote_at - interval '1 hour' where contact = $1`,
    [contact],
  )
  platform.addTemplate(messagingAgent.line, reminder)
  return { messagingAgent, app, contact }
}

test("the approved templates of the agent's number are listed, over all pages, and no others", async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  const other = await messaging.newMessagingAgent()
  platform.addTemplate(other.line, { ...reminder, name: 'of_another_account' })
  platform.addTemplate(messagingAgent.line, { ...reminder, name: 'rejected', status: 'REJECTED' })
  for (let at = 0; at < 101; at += 1)
    platform.addTemplate(messagingAgent.line, { ...reminder, name: `template_${at}` })
  const { number, templates } = done(await listOf(messagingAgent))
  assert.equal(number, messagingAgent.number)
  assert.deepEqual(
    templates.map(({ name }: { name: string }) => name),
    Array.from({ length: 101 }, (_, at) => `template_${at}`),
  )
  assert.deepEqual(templates[0].variables, [
    { name: '1', kind: 'text', example: null },
    { name: '2', kind: 'text', example: null },
  ])
})

test('a template reaches a contact after the window has closed, as a turn of a call that opens with it, and their answer continues that call', async () => {
  const { messagingAgent, app, contact } = await longAgo()
  const written = await eva.client.post(`/v1/agents/${messagingAgent.agent}/threads/${contact}/messages`, {
    text: 'Hello',
  })
  refused(
    written,
    409,
    `the conversation with ${contact} has ended: send a template, or wait until they write`,
  )
  const answer = await send(messagingAgent, contact, filled)
  assert.equal(answer.status, 202, answer.text)
  const { call } = answer.body
  const sent = await until('it is sent', () =>
    platform.sent.find(({ to, template }) => to === contact && template),
  )
  assert.deepEqual(sent.template, {
    name: 'reminder',
    language: { code: 'en_US' },
    components: [
      {
        type: 'body',
        parameters: [
          { type: 'text', text: 'Ana' },
          { type: 'text', text: 'noon' },
        ],
      },
    ],
  })
  const [turn] = await messagingAgent.entries(call, 'agent.message')
  assert.deepEqual(
    [turn?.data.text, turn?.data.source, turn?.data.by],
    ['Hello Ana, see you at noon.', 'human', eva.id],
  )
  refused(
    await eva.client.post(`/v1/agents/${messagingAgent.agent}/threads/${contact}/messages`, { text: 'Hi' }),
    409,
    `${contact} last wrote 24 hours ago or longer: send an approved template, or wait until they write`,
  )
  await messagingAgent.write(contact, 'Can I come at one?')
  await until('it is answered', () => platform.textsTo(contact).includes('You said: Can I come at one?'))
  assert.equal((await messagingAgent.calls(contact)).at(-1)?.id, call)
  const said = model.asked.at(-1)?.messages.map(({ content }) => content)
  assert.ok(said?.includes('Hello Ana, see you at noon.'), JSON.stringify(said))
  await app.close()
})

test('a contact who only called gets a template too, from the only number of the agent; then their thread has no window', async () => {
  const messagingAgent = await messaging.newMessagingAgent()
  platform.addTemplate(messagingAgent.line, reminder)
  const contact = newContact()
  await deployment.sql(
    `insert into agents (org, slug, created_at) values ($1, $2, now()) on conflict do nothing`,
    [org.id, messagingAgent.agent],
  )
  await deployment.sql(
    `insert into calls (id, org, agent, env, holder, channel, opened_at, ended_at, state, settings, canary, contact)
     values ($1, $2, $3, 'sandbox', '', 'phone', now(), now(), 'ended', '[]', false, $4)`,
    [`call_${contact.slice(1)}`, org.id, messagingAgent.agent, contact],
  )
  done(await send(messagingAgent, contact, filled))
  await until('it is sent', () => platform.sent.some(({ to, template }) => to === contact && template))
  const query = new URLSearchParams({ contact }).toString()
  const [thread] = done(await eva.client.get(`/v1/agents/${messagingAgent.agent}/threads?${query}`)).threads
  assert.deepEqual([thread.state, thread.window_closes_at], ['open', null])
  assert.equal(thread.turns.at(-1).who, 'supervisor')
})

test('a template that is not approved, not in that language or not named clearly is refused', async () => {
  const { messagingAgent, contact } = await longAgo()
  platform.addTemplate(messagingAgent.line, { ...reminder, language: 'es' })
  platform.addTemplate(messagingAgent.line, { ...reminder, name: 'paused', status: 'PAUSED' })
  for (const [body, status, sentence] of [
    [{ name: 'paused' }, 404, 'there is no approved template paused: GET …/templates lists those that are'],
    [{ ...filled, language: 'de' }, 404, 'the template reminder is approved in en_US · es, not in de'],
    [filled, 422, 'language: name one, for reminder is approved in en_US · es'],
    [{ ...filled, language: 'es', variables: { 1: 'Ana' } }, 422, 'variables: must be exactly "1", "2"'],
    [
      { ...filled, number: '+15550000000' },
      404,
      `+15550000000 is no number on the messaging platform that leads to ${messagingAgent.agent}`,
    ],
  ] as const)
    refused(await send(messagingAgent, contact, body), status, sentence)
  assert.equal((await messagingAgent.calls(contact)).length, 1)
})

test('a template that the platform refuses all the same is an error in the log', async () => {
  const { messagingAgent, contact } = await longAgo()
  platform.fault = ({ body }) =>
    body?.['type'] === 'template'
      ? { status: 400, code: 132015, message: '(#132015) Template is Paused', details: 'Low quality' }
      : undefined
  const { call } = done(await send(messagingAgent, contact, filled))
  const [error] = await until('the log says so', async () => {
    const errors = await messagingAgent.entries(call, 'error')
    return errors.length > 0 && errors
  })
  assert.deepEqual(
    [error?.data.platform_code, error?.data.detail],
    [132015, 'the messaging platform says: (#132015) Template is Paused: Low quality'],
  )
})

test('a contact who opted out, one without a thread, and an agent without a number get no template', async () => {
  const { messagingAgent, contact } = await longAgo()
  const stranger = newContact()
  refused(
    await send(messagingAgent, stranger, filled),
    404,
    `there is no thread of ${stranger} with ${messagingAgent.agent}`,
  )
  done(await eva.client.delete(`/v1/org/consents/${contact}`))
  refused(
    await send(messagingAgent, contact, filled),
    409,
    `${contact} opted out of being contacted: no template is sent to them`,
  )
  refused(
    await eva.client.get('/v1/agents/nobody/templates'),
    409,
    'no number on the messaging platform leads to nobody: route one to it',
  )
})

test('an agent with several numbers needs one named, unless the contact knows one', async () => {
  const { messagingAgent, contact } = await longAgo()
  const second = newLine()
  const line = platform.addNumber(second)
  const { phone_number_id, access_token } = line
  const { client: admin } = await org.person('admin')
  done(await admin.put('/v1/carrier', { phone_number_id, access_token }))
  const route = { number: second, agent: messagingAgent.agent, channel: 'msgapp', account: phone_number_id }
  done(await admin.in('sandbox').post('/v1/numbers', route))
  refused(
    await listOf(messagingAgent),
    409,
    `name the number to send from: ${messagingAgent.number} · ${second}`,
  )
  platform.addTemplate(line, { ...reminder, name: 'second' })
  const query = new URLSearchParams({ number: second }).toString()
  assert.equal(done(await listOf(messagingAgent, `?${query}`)).templates[0].name, 'second')
  const known = new URLSearchParams({ contact }).toString()
  assert.equal(done(await listOf(messagingAgent, `?${known}`)).number, messagingAgent.number)
  done(await send(messagingAgent, contact, filled))
})

test('templates need `talk`, and an agent of another org or a key of another environment reaches none', async () => {
  const { messagingAgent, contact } = await longAgo()
  const { client: reader } = await org.person('qa')
  for (const answer of [
    await listOf(messagingAgent, '', reader),
    await send(messagingAgent, contact, filled, reader),
  ])
    assert.equal(answer.status, 403, answer.text)
  const others = await deployment.newOrg()
  const { client: stranger } = await others.person('admin', { production: true })
  refused(
    await listOf(messagingAgent, '', stranger),
    409,
    `no number on the messaging platform leads to ${messagingAgent.agent}: route one to it`,
  )
  refused(
    await send(messagingAgent, contact, filled, stranger),
    404,
    `there is no thread of ${contact} with ${messagingAgent.agent}`,
  )
  const { client: live } = await org.person('admin', { production: true })
  refused(
    await send(messagingAgent, contact, filled, live.in('production')),
    404,
    `there is no thread of ${contact} with ${messagingAgent.agent}`,
  )
})

test('a platform that does not list templates is a 502 with its sentence', async () => {
  const { messagingAgent } = await longAgo()
  platform.fault = ({ path }) =>
    path.endsWith('/message_templates')
      ? { status: 403, code: 200, message: '(#200) You do not have permission to access this' }
      : undefined
  refused(
    await listOf(messagingAgent),
    502,
    'the messaging platform says: (#200) You do not have permission to access this',
  )
})
