import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startDeployment } from '@switchroom/gateway/testing/deployment'
import { SpokenAgent } from '@switchroom/gateway/testing/calls/spoken-calls'
import { until } from '@switchroom/gateway/testing/until'
import { Agent, connect, PhoneLine, type Call } from '@switchroom/sdk'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const org = await deployment.newOrg()
const { key } = await org.serverToken('sandbox')
const newPhone = () => new SpokenAgent(deployment, org, 'desk').route()
const newProcess = () => {
  const switchroom = connect({ url: deployment.url, key }).on('disconnected', () => {})
  after(() => switchroom.close())
  return switchroom
}

test('a line has the calls of its number, asks and answers, and hands one to an agent that knows what was said (N-409, N-472, ND-91)', async () => {
  const phone = await newPhone()
  const switchroom = newProcess()
  const line = new PhoneLine({ number: phone.number, extensionMs: 10_000 })
  const [desk, sales] = [new Agent({ name: 'desk' }), new Agent({ name: 'sales' })]
  const seen: string[] = []
  line.on('ready', () => void seen.push('line is ready'))
  await switchroom.hold(desk, sales, line)
  const rang = Promise.withResolvers<Call>()
  line.on('call', rang.resolve)
  line.on('user.message', ({ text }, call) => {
    seen.push(`line heard ${text}`)
    call.say('One moment.')
  })
  line.on('call.routed', ({ agent }) => void seen.push(`line gave it to ${agent}`))
  line.on('call.ended', (_call, reason) => void seen.push(`line is done: ${reason}`))
  const started = Promise.withResolvers<Call>()
  sales.on('call.started', started.resolve)
  sales.on('user.message', ({ text }) => void seen.push(`sales heard ${text}`))
  sales.on('call.ended', (_call, reason) => void seen.push(`sales is done: ${reason}`))
  desk.on('user.message', () => assert.fail('the line has it'))

  const id = await phone.open()
  await phone.fleet.post(`/v1/calls/${id}/extension`, { digits: '12' })
  const call = await rang.promise
  assert.deepEqual([call.id, call.extension, call.from, call.to], [id, '12', '+15559990000', phone.number])
  const turn = (text: string) => ({ type: 'user.message', data: { text, messageId: text } })
  await phone.append(id, [turn('sales, please')])
  await until('the line heard', () => seen.length === 2)
  const outcome = await line.route(call, sales)
  assert.deepEqual(outcome, { routed: true })
  const given = await started.promise
  assert.equal(given.routedFrom, phone.number)
  assert.deepEqual(
    given.lineTranscript.map(({ who, text }) => [who, text]),
    [['caller', 'sales, please']],
  )
  await phone.append(id, [turn('bread, please'), { type: 'call.ended', data: { reason: 'hangup' } }])
  await until('it ended', () => seen.includes('sales is done: hangup'))
  const [ready, heard, ...rest] = seen
  assert.deepEqual([ready, heard], ['line is ready', 'line heard sales, please'])
  assert.deepEqual(
    rest.toSorted(),
    [
      'line gave it to sales',
      'line is done: routed',
      'sales heard bread, please',
      'sales is done: hangup',
    ].toSorted(),
  )
})

test('a line hears why a call was not handed over, and a second process why it has no line (ND-91, ND-93)', async () => {
  const phone = await newPhone()
  const line = new PhoneLine({ number: phone.number })
  await newProcess().hold(line)
  const rang = Promise.withResolvers<Call>()
  line.on('call', rang.resolve)
  await phone.open()
  assert.deepEqual(await line.route(await rang.promise, 'nobody'), { routed: false, reason: 'unknown' })

  const second = new PhoneLine({ number: phone.number }).on('error', () => {})
  const other = newProcess()
  await assert.rejects(other.hold(second), {
    code: 'LINE_CONFLICT',
    detail: `another app has the line ${phone.number}: one takes its calls at a time`,
  })
})

test('what the bot says on a phone adds up word by word in the call (N-453)', async () => {
  const phone = await newPhone()
  const agent = new Agent({ name: 'desk' })
  const texts: string[] = []
  agent.on('bot.word', (_event, call) => void texts.push(call.botText))
  await newProcess().hold(agent)
  const id = await phone.open()
  const said = (word: string) => ({ type: 'bot.word', data: { messageId: 'msg_1', word } })
  await phone.append(id, [{ type: 'bot.speaking', data: { messageId: 'msg_1', text: '' } }])
  await until('it started', async () => {
    if (texts.length === 0) await phone.append(id, [said('Hello')])
    return texts.length > 0
  })
  const before = texts.at(-1)
  await phone.append(id, [said('there'), said('.')])
  await until('it was said', () => texts.at(-1) === `${before} there.`)
})
