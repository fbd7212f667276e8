import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  deliveryOf,
  exampleMessages,
  exampleStatuses,
  otherFields,
  type PlatformValue,
} from '../../../testing/messaging/platform-deliveries.ts'
import { readDelivery } from './deliveries.ts'

const metadata = { phone_number_id: '106540352242922', display_phone_number: '15550783881' }
const line = { phoneNumberId: '106540352242922', number: '+15550783881' }
const contacts = [{ profile: { name: 'Sheena Nelson' }, wa_id: '16505551234' }]
const from = { from: '16505551234', id: 'wamid.HBgLMTY1MDU1NTEyMzQVAgASGBQzQQA=', timestamp: '1749416383' }
const common = {
  line,
  contact: '+16505551234',
  name: 'Sheena Nelson',
  messageId: from.id,
  sentAt: new Date(1749416383_000),
}

const read = (body: unknown) => readDelivery(Buffer.from(JSON.stringify(body)))
const readValue = (value: PlatformValue) => read(deliveryOf(metadata, { contacts, ...value }))
const readOne = (message: object) => readValue({ messages: [{ ...from, ...message }] })

test('every published form of a text is read: also one that answers, was forwarded or came from an advertisement (ND-72, ND-75)', () => {
  const texts = Object.values(exampleMessages).filter((message) => message.type === 'text')
  assert.equal(texts.length, 5)
  for (const message of texts)
    assert.deepEqual(readOne(message), {
      messages: [{ ...common, type: 'text', text: message.text.body }],
      receipts: [],
      rest: [],
    })
})

test('sound is read whether it was spoken for this or not, by the id that fetches it (ND-72, ND-75)', () => {
  for (const [name, mediaId] of [
    ['audio', '1908647269898587'],
    ['audio that is no voice note', '1908647269898588'],
  ] as const)
    assert.deepEqual(readOne(exampleMessages[name]).messages, [{ ...common, type: 'audio', mediaId }])
})

test('images, videos and documents come with their caption or none, to be shown (ND-75)', () => {
  for (const [name, type, text] of [
    ['image', 'image', 'This is a caption'],
    ['image without a caption', 'image', ''],
    ['video', 'video', 'Look!'],
    ['document', 'document', 'The contract'],
  ] as const)
    assert.deepEqual(readOne(exampleMessages[name]).messages, [{ ...common, type, text }])
})

test('the reply to a button or a list is read as what was chosen, with the id that its sender gave it', () => {
  const replies = [
    ['button', 'button', { id: 'Unsubscribe', title: 'Unsubscribe' }],
    ['interactive button', 'interactive', { id: 'cancel-button', title: 'Cancel' }],
    [
      'interactive list',
      'interactive',
      { id: 'priority_express', title: 'Priority Mail Express', description: 'Next day to 2 days' },
    ],
  ] as const
  for (const [name, type, reply] of replies)
    assert.deepEqual(readOne(exampleMessages[name]).messages, [{ ...common, type, text: reply.title, reply }])
  const plain = { type: 'button', button: { text: 'Yes' } }
  assert.deepEqual(readOne(plain).messages, [
    { ...common, type: 'button', text: 'Yes', reply: { id: 'Yes', title: 'Yes' } },
  ])
  for (const broken of [{}, { button_reply: { id: 'x' } }, { list_reply: { title: ' ', id: 'x' } }])
    assert.deepEqual(readOne({ type: 'interactive', interactive: broken }).rest, [
      'a reply of a form that is not read',
    ])
})

test('a reaction is read with the message that it is for, and one that was taken back is left', () => {
  const [reaction] = readOne(exampleMessages.reaction).messages
  assert.deepEqual(reaction, { ...common, type: 'reaction', emoji: '👍', to: 'wamid.ID' })
  const taken = readOne(exampleMessages['reaction taken back'])
  assert.deepEqual([taken.messages, taken.rest], [[], ['a reaction that was taken back']])
})

test('no other published type of message is read (ND-75)', () => {
  const known = new Set(['text', 'audio', 'image', 'video', 'document', 'button', 'interactive', 'reaction'])
  const others = Object.entries(exampleMessages).filter(([, { type }]) => !known.has(type))
  assert.ok(others.length >= 9)
  for (const [name, message] of others)
    assert.deepEqual(
      readOne(message),
      { messages: [], receipts: [], rest: ['a message of a type that is not read'] },
      name,
    )
})

const whyFailed = {
  code: 131047,
  detail:
    'the messaging platform says: (#131047) Re-engagement message: Message failed to send because more than 24 hours have passed.; send an approved template instead',
}

test('every published status is a receipt, with the words that its send carried and why it failed (ND-72)', () => {
  const whose = { id: 'wamid.OUT', timestamp: '1750263773', recipient_id: '16505551234' }
  for (const status of Object.values(exampleStatuses)) {
    const receipt = {
      line,
      contact: '+16505551234',
      messageId: 'wamid.OUT',
      status: status.status,
      opaque: null,
      error: status.status === 'failed' ? whyFailed : null,
    }
    const plain = { ...whose, ...status }
    assert.deepEqual(readValue({ statuses: [plain] }), { messages: [], receipts: [receipt], rest: [] })
    const carrying = { ...plain, biz_opaque_callback_data: 'call_1:7:0' }
    assert.deepEqual(readValue({ statuses: [carrying] }).receipts, [{ ...receipt, opaque: 'call_1:7:0' }])
  }
})

test('a delivery is read in its order over all of its entries and changes (ND-72, ND-74)', () => {
  const text = (id: string) => ({ ...from, id, ...exampleMessages.text })
  const first = deliveryOf(metadata, { contacts, messages: [text('a'), text('b')] })
  const second = deliveryOf({ ...metadata, phone_number_id: '2' }, { contacts, messages: [text('c')] })
  const changes = [...(first.entry[0]?.changes ?? []), ...(second.entry[0]?.changes ?? [])]
  const { messages } = read({ object: 'x', entry: [{ id: '1', changes }, ...first.entry] })
  assert.deepEqual(
    messages.map(({ messageId, line: { phoneNumberId } }) => [messageId, phoneNumberId]),
    [
      ['a', line.phoneNumberId],
      ['b', line.phoneNumberId],
      ['c', '2'],
      ['a', line.phoneNumberId],
      ['b', line.phoneNumberId],
    ],
  )
})

test('a contact is + and the digits of from, without any national rewriting (ND-77, T-82)', () => {
  const contactOf = (sender: object) =>
    readValue({ messages: [{ ...from, ...sender, ...exampleMessages.text }] }).messages[0]?.contact
  assert.equal(contactOf({ from: '34911234567' }), '+34911234567')
  assert.equal(contactOf({ from: '+34 911 23-45-67' }), '+34911234567')
  assert.equal(contactOf({ from: '5215512345678' }), '+5215512345678')
  assert.equal(contactOf({ from: '005511912345678' }), '+005511912345678')
  const hidden = { from: undefined, from_user_id: 'US.13491208655302741918' }
  assert.equal(contactOf(hidden), 'US.13491208655302741918')
  assert.equal(contactOf({ ...hidden, from: '16505551234' }), '+16505551234')
})

test('the name is the profile’s of the sender, of several in one delivery (ND-77)', () => {
  const other = { profile: { name: 'Pablo' }, wa_id: '34911234567' }
  const nameOf = (sender: object, known: object[]) =>
    readValue({ contacts: known, messages: [{ ...from, ...sender, ...exampleMessages.text }] }).messages[0]
      ?.name
  assert.equal(nameOf({}, [other, ...contacts]), 'Sheena Nelson')
  assert.equal(nameOf({ from: '34911234567' }, [other, ...contacts]), 'Pablo')
  assert.equal(nameOf({ from: '1' }, [other, ...contacts]), null)
  assert.equal(nameOf({ from: '1' }, [other]), 'Pablo')
  const hidden = { profile: { name: 'Ana', username: '@ana' }, user_id: 'ES.1' }
  assert.equal(nameOf({ from: undefined, from_user_id: 'ES.1' }, [other, hidden]), 'Ana')
  for (const strange of [[], [{}], [{ wa_id: from.from }], [{ profile: { name: ' ' } }]])
    assert.equal(nameOf({}, strange), null)
})

test('numbers are compared in one form, however the platform writes them (ND-72)', () => {
  const shown = deliveryOf(
    { ...metadata, display_phone_number: '+1 555-078-3881' },
    { messages: [{ ...from, ...exampleMessages.text }] },
  )
  assert.deepEqual(read(shown).messages[0]?.line, line)
})

test('anything else is left, and nothing of it throws (ND-72)', () => {
  const none = (rest: string[]) => ({ messages: [], receipts: [], rest })
  for (const bytes of ['', '{', 'null', '[]', '"x"', '7', '{}', '{"entry": {}}', '\xff\xfe'])
    assert.deepEqual(readDelivery(Buffer.from(bytes, 'latin1')), none(['no delivery']), bytes)
  for (const entry of [[], [null], ['x'], [{}], [{ changes: null }], [{ changes: [1, null] }]])
    assert.deepEqual(read({ entry }), none([]))
  for (const [field, value] of Object.entries(otherFields))
    assert.deepEqual(read({ entry: [{ changes: [{ field, value }] }] }), none(['another field']))
  for (const value of [null, 'x', [], 3])
    assert.deepEqual(
      read({ entry: [{ changes: [{ field: 'messages', value }] }] }),
      none(['messages without a value']),
    )
  for (const strange of [undefined, null, {}, { phone_number_id: 5 }, { phone_number_id: '' }])
    assert.deepEqual(
      read({ entry: [{ changes: [{ field: 'messages', value: { metadata: strange } }] }] }),
      none(['messages to no number']),
    )
  assert.deepEqual(
    readValue({ errors: [{ code: 130429, title: 'Rate limit hit' }] }),
    none(['errors of the platform']),
  )
})

test('a message without an id, a sender, a time or words is left, and the others of its delivery are read (ND-72)', () => {
  const whole = { ...from, ...exampleMessages.text }
  for (const [broken, sentence] of [
    [{ id: undefined }, 'a message of no known form'],
    [{ id: 7 }, 'a message of no known form'],
    [{ id: 'a\0b' }, 'a message of no known form'],
    [{ id: 'x'.repeat(513) }, 'a message of no known form'],
    [{ from: undefined }, 'a message of no known form'],
    [{ timestamp: undefined }, 'a message of no known form'],
    [{ timestamp: 'yesterday' }, 'a message of no known form'],
    [{ timestamp: '-5' }, 'a message of no known form'],
    [{ text: undefined }, 'a text without words'],
    [{ text: { body: ' \n' } }, 'a text without words'],
    [{ text: { body: 5 } }, 'a text without words'],
    [{ group_id: 'group' }, 'a message of a group'],
    [{ type: 'audio' }, 'a voice note without sound'],
    [{ type: 'toString' }, 'a message of a type that is not read'],
    [{ type: undefined }, 'a message of a type that is not read'],
  ] as const) {
    const { messages, rest } = readValue({
      messages: [
        { ...whole, ...broken },
        { ...whole, id: 'whole' },
      ],
    })
    assert.deepEqual(rest, [sentence])
    assert.deepEqual(
      messages.map(({ messageId }) => messageId),
      ['whole'],
    )
  }
  for (const broken of [{}, { id: 'x', status: 'sent' }, { id: 'x', recipient_id: '1' }])
    assert.deepEqual(readValue({ statuses: [broken] }).rest, ['a receipt of no known form'])
})

test('what no database can keep is taken out of the words (ND-72)', () => {
  const bytes = JSON.stringify(
    deliveryOf(metadata, { messages: [{ ...from, type: 'text', text: { body: 'BODY' } }] }),
  ).replace('BODY', String.raw`a\u0000b\ud800c\u00e9`)
  const [message] = readDelivery(Buffer.from(bytes)).messages
  assert.equal(message?.type === 'text' && message.text, 'ab\ufffdcé')
})
