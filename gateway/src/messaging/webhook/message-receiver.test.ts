import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import {
  exampleMessages,
  exampleStatuses,
  otherFields,
} from '../../../testing/messaging/platform-deliveries.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { newMessageId, textOf, WebhookFixture } from '../../../testing/messaging/webhook-fixture.ts'

const fixture = await WebhookFixture.start()
after(() => fixture[Symbol.asyncDispose]())
const { receiver, deployment } = fixture

const from = { from: '34911234567', timestamp: '1749416383' }
const contacts = [{ profile: { name: 'Ana' }, wa_id: '34911234567' }]
const kept = async () => {
  const { rows } = await deployment.sql(`
    select (select count(*) from calls)::int as calls, (select count(*) from entries)::int as entries,
      (select count(*) from message_claims)::int as claims, (select count(*) from conversations)::int as conversations`)
  return rows[0] as Record<string, number>
}

test('a receipt is a line of the log and nothing else that is kept (N-341, ND-75, T-67, T-68)', async () => {
  const line = await fixture.newLine()
  const before = await kept()
  for (const [name, status] of Object.entries(exampleStatuses)) {
    const whose = { id: 'wamid.OUT', timestamp: '1750263773', recipient_id: '34911234567' }
    const statuses = [{ ...whose, ...status, biz_opaque_callback_data: 'call:1:0' }]
    const answer = await fixture.deliver(line, { statuses })
    assert.deepEqual([answer.status, answer.body], [200, { received: 0 }])
    assert.match(deployment.log(), new RegExp(`"status":"${name}",.*a receipt came`))
    const { error, ...receipt } = receiver.receipts.at(-1) ?? {}
    assert.equal(error?.code, name === 'failed' ? 131047 : undefined)
    assert.deepEqual(receipt, {
      org: line.org.id,
      env: 'production',
      agent: 'desk',
      number: line.number,
      phoneNumberId: line.phone_number_id,
      contact: '+34911234567',
      messageId: 'wamid.OUT',
      status: name,
      opaque: 'call:1:0',
    })
  }
  assert.deepEqual(await kept(), before)
  assert.deepEqual(receiver.received, [])
})

test('every published message that is neither words, sound, a reply nor a reaction is a line of the log and nothing else that is kept (N-342, ND-75, T-67)', async () => {
  const line = await fixture.newLine()
  const before = await kept()
  const readOnes = new Set(['button', 'interactive button', 'interactive list', 'reaction'])
  const others = Object.entries(exampleMessages).filter(
    ([name, { type }]) => type !== 'text' && type !== 'audio' && !readOnes.has(name),
  )
  assert.ok(others.length >= 16)
  for (const [name, message] of others) {
    const lines = deployment.log().length
    const answer = await fixture.deliver(line, {
      contacts,
      messages: [{ ...from, id: newMessageId(), ...message }],
    })
    assert.deepEqual([answer.status, answer.body], [200, { received: 0 }], name)
    assert.match(
      deployment.log().slice(lines),
      /a message that is not read came|a delivery held what is not read/,
    )
  }
  for (const [field, value] of Object.entries(otherFields)) {
    const answer = await fixture.post(
      JSON.stringify({ object: 'x', entry: [{ id: '1', changes: [{ field, value }] }] }),
    )
    assert.deepEqual([answer.status, answer.body], [200, { received: 0 }], field)
  }
  assert.deepEqual(await kept(), before)
  assert.deepEqual(receiver.received, [])
  assert.deepEqual(
    receiver.shown.map(({ type, text }) => [type, text]),
    [
      ['image', 'This is a caption'],
      ['image', ''],
      ['video', 'Look!'],
      ['document', 'The contract'],
    ],
  )
  assert.ok(!deployment.log().includes('This is a caption'))
})

test('a failure to show what is not kept is never the delivery’s (N-340, ND-75)', async () => {
  const line = await fixture.newLine()
  receiver.onShown = () => Promise.reject(new Error('the app is gone'))
  const image = { ...from, id: newMessageId(), ...exampleMessages.image }
  const statuses = [{ id: 'x', recipient_id: '34911234567', timestamp: '1', ...exampleStatuses.read }]
  const answer = await fixture.deliver(line, { contacts, messages: [image, textOf('Read this')], statuses })
  receiver.onShown = () => {}
  assert.deepEqual([answer.status, answer.body], [200, { received: 1 }])
  assert.match(deployment.log(), /the app is gone.*a delivery could not be shown to the app/)
})

test('what comes to a number that no org routed is a line of the log; routed, the repeat is read (N-343, T-67)', async () => {
  const line = { ...fixture.unroutedLine(), org: await deployment.newOrg(), agent: 'desk' }
  const before = await kept()
  const messages = [textOf('Is anybody there?')]
  const statuses = [{ id: 'x', recipient_id: '34911234567', timestamp: '1', ...exampleStatuses.read }]
  const shownBefore = receiver.shown.length + receiver.receipts.length
  const image = { ...from, id: newMessageId(), ...exampleMessages.image }
  for (const value of [{ messages }, { statuses }, { messages: [image] }]) {
    const answer = await fixture.deliver(line, value)
    assert.deepEqual([answer.status, answer.body], [200, { received: 0 }])
  }
  assert.equal(receiver.shown.length + receiver.receipts.length, shownBefore)
  assert.deepEqual(await kept(), before)
  assert.match(
    deployment.log(),
    new RegExp(
      `"phone_number_id":"${line.phone_number_id}",.*a delivery came to a number that no org routed`,
    ),
  )
  await fixture.route(line)
  assert.deepEqual((await fixture.deliver(line, { messages })).body, { received: 1 })
})

test('a phone number that is no messaging number answers nothing that is written to it (N-343)', async () => {
  const line = { ...fixture.unroutedLine(), org: await deployment.newOrg(), agent: 'desk' }
  const body = { org: line.org.slug, number: line.number, agent: 'desk', env: 'sandbox', channel: 'msgapp' }
  done(await deployment.operator.post('/v1/ops/numbers', body))
  await deployment.sql(`update numbers set channel = 'phone' where number = $1`, [line.number])
  assert.deepEqual((await fixture.deliver(line, { messages: [textOf('Hello')] })).body, { received: 0 })
})

test('the route is the one whose account is the number’s id at the platform, else whose number it is; the environment is the route’s (ND-72)', async () => {
  const [byAccount, byNumber] = [await fixture.newLine(undefined, 'sandbox'), await fixture.newLine()]
  const { phone_number_id } = byAccount
  await deployment.sql('update numbers set account = $1 where number = $2', [
    phone_number_id,
    byAccount.number,
  ])
  const lands = async (line: { phone_number_id: string; display_phone_number: string }) => {
    const message = textOf('Where am I?')
    assert.deepEqual((await fixture.deliver(line, { messages: [message] })).body, { received: 1 })
    const { org, env, number, phoneNumberId } = receiver.received.at(-1) ?? {}
    return { org, env, number, phoneNumberId }
  }
  // Its id decides, whatever number is shown beside it.
  const { display_phone_number } = byNumber
  assert.deepEqual(await lands({ phone_number_id, display_phone_number }), {
    org: byAccount.org.id,
    env: 'sandbox',
    number: byAccount.number,
    phoneNumberId: phone_number_id,
  })
  assert.deepEqual(
    await lands({ phone_number_id: '77', display_phone_number: `+1 (${display_phone_number.slice(1)}` }),
    {
      org: byNumber.org.id,
      env: 'production',
      number: byNumber.number,
      phoneNumberId: '77',
    },
  )
})

test('a contact is + and the digits of from, and a contact who shows no number is known by the platform’s id (ND-77, T-82)', async () => {
  const line = await fixture.newLine()
  const sent = [
    textOf('One', { from: '34911234567' }),
    textOf('Two', { from: undefined, from_user_id: 'US.13491208655302741918' }),
  ]
  assert.deepEqual((await fixture.deliver(line, { messages: sent })).body, { received: 2 })
  assert.deepEqual(
    receiver.received.slice(-2).map(({ contact }) => contact),
    ['+34911234567', 'US.13491208655302741918'],
  )
})

test('n counts what this delivery read first: no repeat, no receipt, no image, no unrouted number (ND-73)', async () => {
  const line = await fixture.newLine()
  const known = textOf('Known')
  await fixture.deliver(line, { messages: [known] })
  const image = { ...from, id: newMessageId(), ...exampleMessages.image }
  const statuses = [{ id: 'x', recipient_id: '34911234567', timestamp: '1', ...exampleStatuses.sent }]
  const fresh = textOf('New')
  const answer = await fixture.deliver(line, {
    contacts,
    messages: [known, image, fresh, textOf('Newer'), fresh],
    statuses,
  })
  assert.deepEqual([answer.status, answer.body], [200, { received: 2 }])
})

test('a database that fails makes a text fail, and neither an image nor a receipt (N-340, N-349, N-519)', async () => {
  const line = await fixture.newLine()
  const image = { ...from, id: newMessageId(), ...exampleMessages.image }
  const statuses = [{ id: 'x', recipient_id: '34911234567', timestamp: '1', ...exampleStatuses.sent }]
  const message = textOf('Hello')
  await deployment.sql('alter table numbers rename to numbers_away')
  const shown = await fixture.deliver(line, { messages: [image], statuses })
  const text = await fixture.deliver(line, { messages: [message] })
  await deployment.sql('alter table numbers_away rename to numbers')
  assert.deepEqual([shown.status, shown.body], [200, { received: 0 }])
  refused(text, 500, 'a message could not be read: deliver it again')
  assert.deepEqual((await fixture.deliver(line, { messages: [message] })).body, { received: 1 })
})
