import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { AppClient } from '../../../testing/agents/app-client.ts'
import { refused } from '../../../testing/client.ts'
import { startDeployment, type Deployment } from '../../../testing/deployment.ts'
import { entriesOf, newNumber, SpokenAgent, typesOf, whileHeld } from '../../../testing/calls/spoken-calls.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { until } from '../../../testing/until.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const org = await deployment.newOrg()
const { key } = await org.serverToken('sandbox')

const newApp = ({ url }: Deployment = deployment) => AppClient.connect(url, key)
const newPhone = () => new SpokenAgent(deployment, org, 'desk').route()
const register = (app: AppClient, number: string, more: object = {}) =>
  app.ask({ type: 'line.register', number, ...more })
const framesOf = (app: AppClient, call: string) => app.frames.filter((frame) => frame.call === call)
const frameOf = (app: AppClient, type: string, call: string) =>
  until(`${type} comes`, () => framesOf(app, call).find((frame) => frame.type === type))
const press = (phone: SpokenAgent, call: string, digits: string) =>
  phone.fleet.post(`/v1/calls/${call}/extension`, { digits })

test('an app takes a line of its org, and takes it again as it likes (N-472, ND-93)', async () => {
  const phone = await newPhone()
  const app = await newApp()
  assert.deepEqual(await register(app, phone.number), { type: 'ready', number: phone.number, extensionMs: 0 })
  const again = await register(app, phone.number, { extensionMs: 10_000 })
  assert.deepEqual(again, { type: 'ready', number: phone.number, extensionMs: 10_000 })
  await app.close()
})

test('a line that cannot be taken is an error with its code, and the socket stays open (N-474, N-475, ND-93)', async () => {
  const phone = await newPhone()
  const [holder, app] = [await newApp(), await newApp()]
  await register(holder, phone.number)
  const production = await new SpokenAgent(deployment, org, 'desk').route({ env: 'production' })
  const others = await new SpokenAgent(deployment, await deployment.newOrg(), 'desk').route()
  const messages = await new SpokenAgent(deployment, org, 'desk').route({ channel: 'msgapp' })
  const unrouted = newNumber()
  const notOurs = (number: string) => `${number} is no number of this org in sandbox`
  const form = 'number is one in international form, as +15550100100'
  const table = [
    {
      number: phone.number,
      code: 'LINE_CONFLICT',
      detail: `another app has the line ${phone.number}: one takes its calls at a time`,
    },
    { number: unrouted, code: 'PHONE_NOT_IN_ORG', detail: notOurs(unrouted) },
    { number: others.number, code: 'PHONE_NOT_IN_ORG', detail: notOurs(others.number) },
    { number: production.number, code: 'PHONE_NOT_IN_ORG', detail: notOurs(production.number) },
    {
      number: messages.number,
      code: 'LINE_CONFIG_ERROR',
      detail: `${messages.number} takes messages, and a line takes calls`,
    },
    { number: '15550100100', code: 'LINE_CONFIG_ERROR', detail: form },
    { number: 7, code: 'LINE_CONFIG_ERROR', detail: 'number: must be a string' },
    { code: 'LINE_CONFIG_ERROR', detail: 'number: is required' },
    {
      number: phone.number,
      extensionMs: 10_001,
      code: 'LINE_CONFIG_ERROR',
      detail: 'extensionMs is 0 to 10000',
    },
    { number: phone.number, extensionMs: -1, code: 'LINE_CONFIG_ERROR', detail: 'extensionMs is 0 to 10000' },
  ]
  for (const { code, detail, ...asked } of table) {
    const answer = await app.ask({ type: 'line.register', ...asked })
    const number = typeof asked.number === 'string' ? asked.number : null
    assert.deepEqual(answer, { type: 'error', agent: null, number, code, detail })
  }
  assert.equal((await register(app, (await newPhone()).number)).type, 'ready')
  await Promise.all([holder.close(), app.close()])
})

test('a person who works on other agents does not take the line of one (ND-93, N-475)', async () => {
  const phone = await newPhone()
  const person = await org.person('developer', { agents: ['other'] })
  const app = await AppClient.connect(deployment.url, person.key)
  const answer = await register(app, phone.number)
  assert.deepEqual([answer.code, answer.detail], ['UNAUTHORIZED', 'this key works on other alone'])
  await app.close()
})

test('of apps on two gateways that want a line concurrently one has it, and when it goes another may (ND-93, N-475)', async () => {
  await using other = await deployment.another()
  const phone = await newPhone()
  const apps = await Promise.all([newApp(), newApp(other), newApp(), newApp(other)])
  let registering: Promise<Awaited<ReturnType<typeof register>>[]> = Promise.resolve([])
  await whileHeld(
    deployment,
    'select from numbers where number = $1 for update',
    phone.number,
    4,
    async (held) => {
      registering = Promise.all(apps.map((app) => register(app, phone.number)))
      await held.areWaiting()
    },
  )
  const answers = await registering
  const winner = apps[answers.findIndex(({ type }) => type === 'ready')]
  assert.ok(winner)
  const losers = answers.filter(({ type }) => type === 'error')
  assert.deepEqual(
    losers.map(({ code }) => code),
    ['LINE_CONFLICT', 'LINE_CONFLICT', 'LINE_CONFLICT'],
  )
  await winner.close()
  const next = apps.find((app) => app !== winner)
  assert.ok(next)
  await until('the line is free', async () => (await register(next, phone.number)).type === 'ready')
  await Promise.all(apps.map((app) => app.close()))
})

test('a call to a line is reported to its app once the extension window has closed, with the digits as its extension (N-476, N-469, N-470, T-102, ND-93)', async () => {
  await using other = await deployment.another()
  const phone = await newPhone()
  const app = await newApp(other)
  await register(app, phone.number, { extensionMs: 3000 })
  const answer = done(await phone.ask())
  const { call } = answer
  assert.deepEqual(answer, { call, org: org.id, env: 'sandbox', agent: 'desk', line: { extensionMs: 3000 } })
  refused(await press(phone, call, '1x'), 400, 'an extension is up to 32 digits, * and #')
  assert.deepEqual(typesOf(await entriesOf(deployment, call)), ['line.answered'])
  assert.ok(!framesOf(app, call).some(({ type }) => type === 'call'))
  const answers = await Promise.all([press(phone, call, '123'), press(phone, call, '123')])
  assert.deepEqual(
    answers.map(({ status }) => status),
    [204, 204],
  )
  const { data, agent } = await frameOf(app, 'call', call)
  assert.equal(agent, 'desk')
  assert.equal(data.line, phone.number)
  assert.deepEqual([data.call.id, data.call.extension, data.call.from], [call, '123', '+15559990000'])
  const tone = { type: 'call.dtmf_received', data: { callId: call, digit: '5', digits: '5' } }
  done(await phone.append(call, [tone]))
  await frameOf(app, 'call.dtmf_received', call)
  assert.deepEqual(
    framesOf(app, call).map(({ type }) => type),
    ['line.answered', 'call', 'call.dtmf_received'],
  )
  assert.ok(!JSON.stringify(await entriesOf(deployment, call)).includes('"digits":"123"'))
  await app.close()
})

test('without a window the app has the call at once, and no agent needs to be held (N-476)', async () => {
  const phone = await newPhone()
  const app = await newApp()
  await register(app, phone.number)
  const call = await phone.open({ extension: '9' })
  const { data } = await frameOf(app, 'call', call)
  assert.equal(data.call.extension, '9')
  assert.deepEqual(typesOf(await entriesOf(deployment, call)), ['line.answered', 'call'])
  refused(await press(phone, 'call_none', ''), 404, 'there is no call call_none')
  done(await phone.append(call, [{ type: 'call.ended', data: { reason: 'hangup' } }]))
  const ended = await frameOf(app, 'call.ended', call)
  assert.deepEqual([ended.data.reason, ended.data.call.id], ['hangup', call])
  refused(await press(phone, call, '1'), 409, 'this call has ended')
  await app.close()
})

test('a call without a line has no extension window', async () => {
  const phone = await newPhone()
  const app = await phone.holdingApp()
  const call = await phone.open()
  refused(await press(phone, call, '1'), 409, `call ${call} is on no line that waits for an extension`)
  await app.close()
})
