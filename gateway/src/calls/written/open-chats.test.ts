import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { AppClient } from '../../../testing/agents/app-client.ts'
import { ChatClient } from '../../../testing/calls/chat-client.ts'
import { entriesOf, startChatDeployment } from '../../../testing/calls/chat-deployment.ts'
import { refused } from '../../../testing/client.ts'
import { noLimit } from '../../../testing/deployment.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { until } from '../../../testing/until.ts'

const chats = await startChatDeployment()
after(() => chats[Symbol.asyncDispose]())
const { deployment, key, org, model } = chats
const other = await deployment.another()
const { operator, url } = deployment

async function refusedAs(status: number, sentence: string, ...asked: Parameters<typeof ChatClient.ask>) {
  const answer = await ChatClient.ask(...asked)
  assert.ok(!(answer instanceof ChatClient), 'it was opened')
  assert.deepEqual([answer.status, JSON.parse(answer.text).detail], [status, sentence])
}
const setQuotas = async (quotas: object, slug = org.slug) =>
  done(await operator.put(`/v1/ops/orgs/${slug}/quotas`, { ...noLimit, ...quotas }))
const holding = async (slug = org.slug) => done(await operator.get(`/v1/ops/orgs/${slug}`)).holding
const callsOf = async (agent: string) =>
  (await deployment.sql('select * from calls where agent = $1 order by ordinal', [agent])).rows

test('no app holds the agent: 409 before the upgrade, saying what to do, and no call comes to be (ND-89)', async () => {
  await refusedAs(
    409,
    'no app holds nobodys in the sandbox: start the app that does, and open the chat again',
    url,
    key,
    { agent: 'nobodys' },
  )
  const { slug, app } = await chats.newAgent()
  await app.close()
  await until(
    'the agent is released',
    async () => (await deployment.sql('select from registrations where agent = $1', [slug])).rowCount === 0,
  )
  await refusedAs(
    409,
    `no app holds ${slug} in the sandbox: start the app that does, and open the chat again`,
    other.url,
    key,
    { agent: slug },
  )
  assert.deepEqual(await callsOf('nobodys'), [])
})

test('a member with a list of agents is refused other agents before the upgrade, whether or not those exist (I-313)', async () => {
  const { slug } = await chats.newAgent()
  const person = await org.person('supervisor', { agents: [slug, 'another'] })
  const sentence = `this key works on ${slug} · another alone`
  const held = await chats.newAgent()
  for (const agent of [held.slug, 'no-such', 'No Slug'])
    await refusedAs(403, sentence, url, person.key, { agent })
  const client = await ChatClient.connect(url, person.key, { agent: slug })
  await client.next('started')
  await refusedAs(403, sentence, url, person.key, { agent: held.slug, call: client.call })
})

test('a chat asks for the scope talk, an agent and a WebSocket (ND-89)', async () => {
  const { slug } = await chats.newAgent()
  const deaf = await org.serverToken('sandbox', { scopes: ['app', 'calls'] })
  await refusedAs(403, 'this key does not open talk: it opens app · calls', url, deaf.key, { agent: slug })
  await refusedAs(404, 'there is no agent No Slug', url, key, { agent: 'No Slug' })
  await refusedAs(422, 'agent: is required', url, key, {})
  await refusedAs(400, 'contact is a number such as +34911234567', url, key, {
    agent: slug,
    contact: '0034911',
  })
  const client = deployment.anonymous.as(key)
  refused(await client.get(`/v1/chat?agent=${slug}`), 426, 'a chat is opened as a WebSocket')
  refused(await deployment.anonymous.get(`/v1/chat?agent=${slug}`), 401, /key/)
})

test('a chat of another agent, holder, environment or org, or an unknown one, cannot be continued', async () => {
  const agent = await chats.newAgent()
  const another = await chats.newAgent()
  const { call } = await agent.chat()
  const refuse = (agentOf: string, asked: string, whose: string, env?: string) =>
    refusedAs(
      404,
      `there is no chat ${asked} of ${agentOf}`,
      url,
      whose,
      { agent: agentOf, call: asked },
      env,
    )
  const person = await org.person('developer', { production: true })
  const stranger = await (await deployment.newOrg()).serverToken('sandbox', { scopes: ['talk'] })
  await refuse(agent.slug, 'call_nobodys', key)
  await refuse(another.slug, call, key)
  await refuse(agent.slug, call, person.key)
  await refuse(agent.slug, call, person.key, 'production')
  await refuse(agent.slug, call, stranger.key)
  const { call: spoken } = done(
    await deployment.anonymous.as(key).post('/v1/calls', { agent: agent.slug, channel: 'web' }),
  )
  await refuse(agent.slug, spoken, key)
  await refusedAs(422, 'after: must be the seq of a frame, or 0', url, key, {
    agent: agent.slug,
    call,
    after: 'x',
  })
})

test("a person's chat in the sandbox is answered by their own app, and without one by the org's", async () => {
  const shared = await chats.newAgent({ prompt: "The org's." })
  const [ana, bea] = [await org.person('developer'), await org.person('developer')]
  const app = await AppClient.connect(url, ana.key)
  await app.register(shared.slug, { prompt: "Ana's." })
  for (const [person, prompt] of [
    [ana, "Ana's."],
    [bea, "The org's."],
  ] as const) {
    const client = await ChatClient.connect(url, person.key, { agent: shared.slug })
    await client.ask('Hi')
    assert.equal(model.asked.at(-1)?.messages[0]?.content, prompt)
    const [row] = (await callsOf(shared.slug)).slice(-1)
    assert.deepEqual([row.id, row.holder], [client.call, person.id])
  }
})

test('the record of a chat says whose it is and which versions it runs, and its log begins with it', async () => {
  const { slug, chat } = await chats.newAgent()
  const developer = await org.person('developer')
  done(
    await deployment.anonymous.as(developer.key).put(`/v1/agents/${slug}/settings`, {
      config: { language: 'es', llm_timeout_s: 5 },
      if_version: 0,
      team: true,
    }),
  )
  const client = await chat({ contact: ' 34911234567' })
  const [row] = await callsOf(slug)
  assert.deepEqual(
    [
      row.id,
      row.channel,
      row.caller,
      row.contact,
      row.direction,
      row.state,
      row.language,
      row.config_version,
    ],
    [client.call, 'chat', '+34911234567', '+34911234567', 'inbound', 'open', 'es', 1],
  )
  const [first] = await entriesOf(deployment, client.call)
  assert.deepEqual([first?.seq, first?.type, first?.data], [1, 'chat.started', {}])
})

test('a call that a request opened as a chat begins with its first client, once (SD-36)', async () => {
  const { slug } = await chats.newAgent()
  const { call } = done(
    await deployment.anonymous.as(key).post('/v1/calls', { agent: slug, channel: 'chat' }),
  )
  const clients = await Promise.all(
    [url, other.url, url].map((at) => ChatClient.connect(at, key, { agent: slug, call })),
  )
  const [client] = clients
  assert.ok(client)
  await Promise.all(clients.map((each) => each.next('started')))
  assert.equal(await client.ask('Hi'), 'Hello.')
  const began = await entriesOf(deployment, call, 'chat.started')
  assert.deepEqual(
    began.map(({ seq }) => seq),
    [1],
  )
  assert.equal((await entriesOf(deployment, call, 'agent.message')).length, 1)
})

test('no more calls run at once than the org may have, also when the last is asked for twice concurrently', async () => {
  const alone = await deployment.newOrg()
  const token = await alone.serverToken('sandbox', { scopes: ['app', 'talk'] })
  const app = await AppClient.connect(url, token.key)
  await app.register('desk')
  await setQuotas({ concurrent_calls: 3 }, alone.slug)
  const ask = (at: string) => ChatClient.ask(at, token.key, { agent: 'desk' })
  const answers = await Promise.all([url, other.url, url, other.url, url, other.url].map(ask))
  const open = answers.filter((answer) => answer instanceof ChatClient)
  const sentence = `org ${alone.slug} runs 3 of its 3 calls at once: wait until one ends, or ask the operator for more`
  assert.equal(open.length, 3)
  for (const answer of answers)
    if (!(answer instanceof ChatClient))
      assert.deepEqual(
        [answer.status, JSON.parse(answer.text)],
        [429, { detail: sentence, code: 'QUOTA_EXCEEDED' }],
      )
  assert.equal((await holding(alone.slug)).concurrent_calls, 3)
  const { call } = done(
    await deployment.anonymous.as(token.key).post('/v1/calls', { agent: 'desk', channel: 'chat' }),
  )
  await refusedAs(429, sentence, url, token.key, { agent: 'desk', call })
  await open[0]?.close()
  await until('it has ended', async () => (await holding(alone.slug)).concurrent_calls === 2)
  assert.ok((await ask(url)) instanceof ChatClient)
})

test("an org without credits is refused what would run on the platform's key, and not what runs on its own", async () => {
  const poor = await deployment.newOrg()
  const token = await poor.serverToken('sandbox', { scopes: ['app', 'talk'] })
  const app = await AppClient.connect(url, token.key)
  await app.register('desk')
  done(await operator.put(`/v1/ops/orgs/${poor.slug}/account`, { plan: 'pro', subscribed: true, credits: 0 }))
  await refusedAs(
    402,
    "openai runs on the platform's key, for which the org has no credits left: ask the operator for more, or bring a key of your own",
    url,
    token.key,
    { agent: 'desk' },
  )
  const manager = await poor.person('manager')
  done(await manager.client.put('/v1/provider-keys/openai', { key: 'sk-own-0123456789' }))
  const client = await ChatClient.connect(url, token.key, { agent: 'desk' })
  await client.ask('Hi')
  assert.equal(model.asked.at(-1)?.key, 'sk-own-0123456789')
})

test('a chat of an org that has no key for its model is refused in a sentence', async () => {
  const keyless = await deployment.newOrg()
  const token = await keyless.serverToken('sandbox', { scopes: ['app', 'talk'] })
  const app = await AppClient.connect(url, token.key)
  await app.register('desk')
  await deployment.sql(`insert into versions (kind, org, agent, env, holder, version, author, set_at, content)
    values ('settings', '${keyless.id}', 'desk', 'sandbox', '', 1, 'a test', now(), '{"llm": "mistral"}')`)
  await refusedAs(403, 'llm: the org brought no key for mistral', url, token.key, { agent: 'desk' })
})
