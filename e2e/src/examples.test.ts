import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ChatClient } from '@switchroom/gateway/testing/calls/chat-client'
import { SpokenAgent } from '@switchroom/gateway/testing/calls/spoken-calls'
import { done } from '@switchroom/gateway/testing/agents/test-agents'
import {
  MessagingAgent,
  newContact,
  startMessagingDeployment,
} from '@switchroom/gateway/testing/messaging/messaging-deployment'
import { mediaSettings } from '@switchroom/gateway/testing/telephony/placing-fixture'
import { until } from '@switchroom/gateway/testing/until'
import type { AskedModel, ModelReply } from '@switchroom/gateway/testing/providers/model-fake'
import { temporaryFolder } from '@switchroom/launcher/testing/folders'
import { LiveKitFake } from '@switchroom/media/testing/livekit-fake'
import { root } from './launch.ts'
import { RunningProgram } from './running-program.ts'

const media = await LiveKitFake.start()
const messaging = await startMessagingDeployment(mediaSettings(media))
after(() => messaging[Symbol.asyncDispose]())
after(() => media.stop())
const { deployment, org, key, model, platform } = messaging

/** An example as a person in the checkout runs it, once it says that it is there. */
async function run(name: string, settings: Record<string, string> = {}): Promise<RunningProgram> {
  const program = new RunningProgram(process.execPath, [join('examples', name, `${name}.ts`)], {
    cwd: root,
    settings: { SVC_URL: deployment.url, SVC_KEY: key, ...settings },
  })
  after(() => program[Symbol.asyncDispose]())
  await program.prints(`${name} is there`)
  return program
}

/** A model that uses a tool when a person writes `tool {arguments}`, and then says what the tool answered. */
function usesTools({ messages }: AskedModel): ModelReply {
  const { role, content } = messages.at(-1) ?? { role: '', content: '' }
  if (role === 'tool') return `The tool says: ${content}`
  const [, name, args] = /^(\w+)(?: (\{.*\}))?$/.exec(content ?? '') ?? []
  return name === undefined ? 'Yes.' : { calls: [{ name, arguments: JSON.parse(args ?? '{}') as object }] }
}

async function chatWith(agent: string, contact: string) {
  const chat = await ChatClient.connect(deployment.url, key, { agent, contact })
  await chat.next('started')
  return async (text: string) => {
    chat.say(text, randomUUID())
    await chat.next('heard')
    return (await chat.next('message')).text
  }
}

test('the appointment desk offers free times, books each once, and lets only the person who booked cancel', async (t) => {
  model.reply = usesTools
  const calendar = join(temporaryFolder(t), 'calendar.json')
  const desk = await run('appointments', { CALENDAR: calendar })
  const [ana, luis] = [
    await chatWith('appointments', '+34911234567'),
    await chatWith('appointments', '+34911234568'),
  ]
  assert.match(await ana('free_times {"day":"2027-03-01"}'), /09:00.*16:30/s)
  assert.match(await ana('free_times {"day":"2027-03-06"}'), /there is no free time on that day/)
  assert.match(await ana('book {"at":"2027-03-01T09:30","name":"Ana"}'), /booked for Ana at 2027-03-01T09:30/)
  assert.doesNotMatch(await luis('free_times {"day":"2027-03-01"}'), /09:30/)
  assert.match(await luis('book {"at":"2027-03-01T09:30","name":"Luis"}'), /is not free: offer another time/)
  assert.match(await luis('cancel {"at":"2027-03-01T09:30"}'), /this caller has no appointment/)
  assert.deepEqual(JSON.parse(readFileSync(calendar, 'utf8')), [
    { at: '2027-03-01T09:30', name: 'Ana', phone: '+34911234567' },
  ])
  assert.match(await ana('cancel {"at":"2027-03-01T09:30"}'), /is cancelled/)
  assert.equal(await desk.interrupt(), 0)
})

test('the reminder calls who agreed, with the consent sent along, and no more who said stop', async (t) => {
  model.reply = usesTools
  const { key: production } = await org.serverToken('production', {
    scopes: ['app', 'talk', 'calls', 'numbers'],
  })
  const client = deployment.anonymous.as(production)
  const phone = new SpokenAgent(deployment, org, 'reminders')
  const peer = { kind: 'sip', username: 'peer', password: 'secret of peer', addresses: ['8.8.8.0/24'] }
  done(await client.put('/v1/carrier', { ...peer, outbound_host: 'sip.peer.example' }))
  await deployment.sql(
    `insert into numbers (number, org, env, agent, origin, managed, account, approved_at, created_at)
     values ($1, $2, 'production', 'reminders', 'imported', false, 'peer', now(), now())`,
    [phone.number, org.id],
  )
  const people = join(temporaryFolder(t), 'people.json')
  const given = { kind: 'written', source: 'form of 3 May' }
  const [ana, luis] = ['+34617000001', '+34617000002']
  writeFileSync(
    people,
    JSON.stringify([
      { name: 'Ana', phone: ana, appointment: 'tomorrow at ten', consent: given },
      { name: 'Luis', phone: luis, appointment: 'tomorrow at eleven' },
    ]),
  )
  for (const contact of [ana, luis])
    await deployment.sql(
      `insert into known_contacts (org, env, contact, first_at) values ($1, 'production', $2, now())`,
      [org.id, contact],
    )
  const first = await run('reminders', { SVC_KEY: production, PEOPLE: people })
  await first.prints('everybody was dialled')
  assert.match(first.printed, /^Ana is called: call_\w+$/m)
  assert.match(first.printed, /^Luis is not called: they did not agree to be called$/m)
  const { rows } = done(await client.get(`/v1/org/consents/${encodeURIComponent(ana)}`))
  assert.deepEqual(
    rows.map(({ fact, source }: { fact: string; source: string }) => [fact, source]),
    [['consent', 'form of 3 May']],
  )
  // as a worker that carries a call with her asks
  const call = await phone.open({ from: ana })
  const use = async (id: string, name: string, args: object = {}) => {
    const calls = [{ id, name, arguments: JSON.stringify(args) }]
    const { outcomes } = done(await phone.fleet.post(`/v1/calls/${call}/tools`, { msgId: id, calls }))
    return String(outcomes[0].text)
  }
  assert.match(await use('t1', 'answer', { comes: true }), /it is written down/)
  await first.prints('Ana comes')
  assert.match(await use('t2', 'stop_calls'), /they are not called again/)
  await first.prints('Ana wants no more calls')
  await until('the list has her', async () => {
    const { standing } = done(await client.get(`/v1/org/consents/${encodeURIComponent(ana)}`))
    return standing === 'opted_out'
  })
  assert.equal(await first.interrupt(), 0)
  writeFileSync(
    people,
    JSON.stringify([{ name: 'Ana', phone: ana, appointment: 'on Monday', consent: given }]),
  )
  const second = await run('reminders', { SVC_KEY: production, PEOPLE: people })
  await second.prints('everybody was dialled')
  assert.match(second.printed, /^Ana is not called: \+34617000001 is on the do-not-call list/m)
  assert.equal(await second.interrupt(), 0)
})

test('the support line asks, hands each call to the agent that fits, and a dialled extension needs no question', async () => {
  const phone = await new SpokenAgent(deployment, org, 'technical').route()
  const support = await run('support', { NUMBER: phone.number })
  const turn = (text: string) => ({ type: 'user.message', data: { text, messageId: text } })

  const asked = await phone.open()
  await phone.fleet.post(`/v1/calls/${asked}/extension`, { digits: '9' })
  await phone.append(asked, [turn('Good morning.')])
  await phone.append(asked, [turn('It is about my invoice.')])
  await support.prints(`billing has ${asked}`)

  const dialled = await phone.open({ from: '+15559990001' })
  await phone.fleet.post(`/v1/calls/${dialled}/extension`, { digits: '1' })
  await support.prints(`technical has ${dialled}`)
  for (const call of [asked, dialled]) {
    await phone.append(call, [{ type: 'call.ended', data: { reason: 'hangup' } }])
    await support.prints(`${call} ended: hangup`)
  }
  assert.equal(await support.interrupt(), 0)
})

test('the shop sells on the messaging channel, with a basket for each contact', async () => {
  model.reply = usesTools
  const { client: admin } = await org.person('admin')
  const line = platform.addNumber('+14155550123')
  const { phone_number_id, access_token } = line
  done(await admin.put('/v1/carrier', { phone_number_id, access_token }))
  const number = { number: '+14155550123', agent: 'shop', channel: 'msgapp', account: phone_number_id }
  done(await admin.in('sandbox').post('/v1/numbers', number))
  const shop = await run('shop')
  const contacts = new MessagingAgent({
    chats: messaging,
    platform,
    agent: 'shop',
    number: '+14155550123',
    line,
  })
  const written = new Map<string, number>()
  const write = async (contact: string, text: string) => {
    const count = (written.get(contact) ?? 0) + 1
    written.set(contact, count)
    await contacts.write(contact, text)
    return String((await contacts.texts(contact, count)).at(-1))
  }
  const [ana, luis] = [newContact(), newContact()]
  assert.match(await write(ana, 'catalogue'), /rye bread/)
  assert.match(await write(ana, 'add {"product":"rye bread","pieces":2}'), /2 × rye bread: 8\.40 EUR/)
  assert.match(await write(luis, 'order'), /the basket is empty/)
  assert.match(await write(ana, 'order'), /order A-1001 of 2 × rye bread/)
  await shop.prints(`${ana} ordered A-1001: 2 × rye bread: 8.40 EUR`)
  assert.match(await write(ana, 'order'), /the basket is empty/)
  assert.equal(await shop.interrupt(), 0)
})
