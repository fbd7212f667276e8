import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GatewayProcess } from '../../../testing/gateway-process.ts'
import { MessagingFake } from '../../../testing/messaging/messaging-fake.ts'
import { deliveryOf, signatureOf } from '../../../testing/messaging/platform-deliveries.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { until } from '../../../testing/until.ts'
import {
  accepted,
  asked,
  failed,
  fixture,
  forget,
  deployment,
  heard,
  newNoteLine,
  noteOf,
  platform,
  receiver,
  retryNow,
  settings,
  slowSpeechToText,
  wire,
} from '../../../testing/messaging/voice-note-fixture.ts'
import {
  appSecret,
  textOf,
  verifyToken,
  type WebhookLine,
} from '../../../testing/messaging/webhook-fixture.ts'
import { dayMs, hourMs } from '../../foundation/clock.ts'
import { notTranscribed } from './untranscribed-messages.ts'

const takenAt = ({ org }: WebhookLine) =>
  receiver.received.filter((message) => message.org === org.id).map(({ text }) => text)

test('a voice note is fetched, transcribed by the agent’s speech-to-text and read as what was said (ND-75)', async () => {
  const line = await newNoteLine()
  const { client } = await line.org.person('admin', { production: true })
  done(
    await client
      .in('production')
      .put('/v1/agents/desk/settings', { config: { language: 'es' }, if_version: 0 }),
  )
  const note = noteOf('Hola, ¿abren hoy?')
  const { type, text, messageId } = await heard(await accepted(line, note))
  assert.deepEqual([type, text, messageId], ['audio', 'Hola, ¿abren hoy?', note.id])
  const { model, authorization, body } = asked.at(-1) ?? {}
  assert.deepEqual([model, authorization], ['keen-ears', 'Bearer key-of-keen-0123456789'])
  assert.deepEqual([body?.['mediaType'], body?.['language']], ['audio/ogg; codecs=opus', 'es'])
  assert.deepEqual((await fixture.deliver(line, { messages: [note] })).body, { received: 0 })
  assert.equal(asked.filter(({ body: { said } }) => said === 'Hola, ¿abren hoy?').length, 1)
})

test('a voice note is fetched on the org’s own token if the org brought one, else on the platform’s (N-335)', async () => {
  const line = await newNoteLine()
  const tokens = (path: string) =>
    platform.requests.filter((sent) => sent.path === path).map(({ token }) => token)
  const fetched = async () => {
    const note = noteOf('Whose?')
    await heard(await accepted(line, note))
    return [...tokens(`/v26.0/${note.audio.id}`), ...tokens(`/media/${note.audio.id}`)]
  }
  assert.deepEqual(await fetched(), [platform.platformToken, platform.platformToken])
  const { client } = await line.org.person('admin')
  const { phone_number_id, access_token } = line
  done(await client.put('/v1/carrier', { phone_number_id, access_token }))
  assert.deepEqual(await fetched(), [access_token, access_token])
  await client.delete('/v1/carrier')
  assert.deepEqual(await fetched(), [platform.platformToken, platform.platformToken])
})

test('a voice note is transcribed after the delivery was answered, and its repeat is dropped meanwhile (ND-75)', async () => {
  const line = await newNoteLine()
  using slow = slowSpeechToText()
  const before = asked.length
  const note = await accepted(line, noteOf('Slowly'))
  assert.deepEqual(await fixture.claims(line), [{ message_id: note.id, is_read: true }])
  await until('speech-to-text is asked', () => asked.length > before)
  assert.deepEqual((await fixture.deliver(line, { messages: [note] })).body, { received: 0 })
  assert.equal(receiver.times(note.id), 0)
  slow.release()
  assert.equal((await heard(note)).text, 'Slowly')
  assert.equal(asked.length, before + 1)
})

test('a voice note holds up what its contact writes after it, in the same delivery or a later one, and no other contact (ND-74)', async () => {
  const line = await newNoteLine()
  using slow = slowSpeechToText()
  const ben = { from: '447700900123' }
  const messages = [textOf('A1'), noteOf('A2'), textOf('B1', ben), textOf('A3'), textOf('B2', ben)]
  assert.deepEqual((await fixture.deliver(line, { messages })).body, { received: 5 })
  assert.deepEqual((await fixture.deliver(line, { messages: [textOf('A4')] })).body, { received: 1 })
  await accepted(line, noteOf('A5'))
  assert.deepEqual(takenAt(line), ['A1', 'B1', 'B2'])
  slow.release()
  await until('all are read', () => takenAt(line).length === 7)
  assert.deepEqual(takenAt(line).slice(3), ['A2', 'A3', 'A4', 'A5'])
  assert.deepEqual((await fixture.deliver(line, { messages: [textOf('A6')] })).body, { received: 1 })
  assert.equal(takenAt(line).at(-1), 'A6')
})

test('what a contact writes to another gateway waits behind their voice note too, and is read once', async () => {
  const line = await newNoteLine()
  await using other = await fixture.another()
  using slow = slowSpeechToText()
  const before = asked.length
  await accepted(line, noteOf('A1'))
  await until('speech-to-text is asked', () => asked.length > before)
  const messages = [textOf('A2'), noteOf('A3')]
  assert.deepEqual((await other.deliver(line, { messages })).body, { received: 2 })
  assert.deepEqual((await fixture.deliver(line, { messages })).body, { received: 0 })
  await other.untranscribedMessages.poll()
  assert.deepEqual([...takenAt(line), ...other.receiver.received], [])
  slow.release()
  await until('all are read', () => takenAt(line).length + other.receiver.received.length === 3)
  assert.deepEqual(takenAt(line), ['A1', 'A2', 'A3'])
})

test('a fetch or a transcription that fails is tried again, and the note is read once (ND-75)', async () => {
  const line = await newNoteLine()
  for (const path of ['/v26.0/', '/media/']) {
    const note = noteOf(`Through ${path}`)
    platform.fault = (sent) => (sent.path === `${path}${note.audio.id}` ? { status: 500 } : undefined)
    await failed(await accepted(line, note))
    platform.fault = () => undefined
    await retryNow()
    assert.equal((await heard(note)).text, `Through ${path}`)
  }
  wire.mode = 'fault'
  const note = await accepted(line, noteOf('Try again'))
  await failed(note)
  wire.mode = 'answer'
  await retryNow()
  await heard(note)
  assert.equal(receiver.times(note.id), 1)
  assert.ok(!deployment.log().includes(platform.platformToken))
})

test('after five attempts the agent reads that a voice note could not be transcribed, with the reason beside it', async () => {
  const line = await newNoteLine()
  platform.fault = () => ({ status: 404, message: 'The media is gone' })
  const note = await accepted(line, noteOf('Lost'))
  assert.deepEqual((await fixture.deliver(line, { messages: [textOf('Hello?')] })).body, { received: 1 })
  for (let times = 1; times < 5; times += 1) {
    await failed(note, times)
    await retryNow()
  }
  const { type, text, failure } = await heard(note)
  platform.fault = () => undefined
  assert.deepEqual([type, text], ['audio', notTranscribed])
  assert.equal(
    failure,
    'the voice note could not be transcribed: the messaging platform says: The media is gone',
  )
  await until('what came after is read', () => takenAt(line).length === 2)
  assert.deepEqual(takenAt(line), [notTranscribed, 'Hello?'])
})

test('eight voice notes are heard at once and the rest wait their turn, while texts are read', async () => {
  const line = await newNoteLine()
  using slow = slowSpeechToText()
  const before = asked.length
  const notes = Array.from({ length: 10 }, (_, at) =>
    noteOf(`note ${at}`, undefined, { from: `3491000000${at}` }),
  )
  for (const note of notes) await accepted(line, note)
  await until('eight are being heard', () => asked.length === before + 8)
  const other = textOf('Meanwhile', { from: '447700900124' })
  assert.deepEqual((await fixture.deliver(line, { messages: [other] })).body, { received: 1 })
  assert.equal(asked.length, before + 8)
  slow.release()
  for (const note of notes) await heard(note)
  assert.equal(asked.length, before + 10)
})

test('one that comes more than a day late is not heard any more', async () => {
  const line = await newNoteLine()
  const sentAgo = (ms: number) => ({ timestamp: String(Math.floor((Date.now() - ms) / 1000)) })
  receiver.becomes = 'dropped'
  const before = asked.length
  const late = noteOf('Late', undefined, sentAgo(dayMs + hourMs))
  assert.deepEqual((await fixture.deliver(line, { messages: [late] })).body, { received: 0 })
  receiver.becomes = 'queued'
  assert.equal(asked.length, before)
  assert.deepEqual(await fixture.claims(line), [{ message_id: late.id, is_read: true }])
  await heard(await accepted(line, noteOf('In time', undefined, sentAgo(dayMs - hourMs))))
})

test('no more than 16 MB is fetched', async () => {
  const line = await newNoteLine()
  const before = asked.length
  const note = await accepted(line, noteOf(Buffer.alloc(16 * 1024 * 1024 + 1, 'x')))
  await failed(note)
  await forget(note)
  assert.equal(asked.length, before)
  assert.match(deployment.log(), /answers more than 16777216 bytes/)
})

test('what is fetched is at a public address and over TLS, whatever the answer names', async () => {
  const line = await newNoteLine()
  await using guarded = await fixture.another({ SVC_PRIVATE_HOSTS: '' })
  const note = await accepted(line, noteOf('Inside'), guarded)
  await failed(note)
  await forget(note)
  assert.match(guarded.deployment.log(), /127\.0\.0\.1 resolves to an address that is not public/)
  const plain = await MessagingFake.start()
  const media = plain.addMedia(Buffer.from('x'))
  plain.addNumber(line.number)
  await using open = await fixture.another({
    SVC_MSGAPP_API: plain.url,
    SVC_MSGAPP_ACCESS_TOKEN: plain.platformToken,
  })
  const unsafe = await accepted(line, noteOf('x', undefined, { audio: { id: media } }), open)
  await failed(unsafe)
  await forget(unsafe)
  assert.match(open.deployment.log(), /is asked over https alone/)
  assert.ok(plain.requests.every(({ path }) => !path.startsWith('/media/')))
  await plain.stop()
})

test('without any token a voice note is not transcribed', async () => {
  const line = await newNoteLine()
  await using poor = await fixture.another({ SVC_MSGAPP_ACCESS_TOKEN: '' })
  const note = await accepted(line, noteOf('x'), poor)
  await failed(note)
  await forget(note)
  assert.match(poor.deployment.log(), /no token opens voice notes/)
})

test('a voice note of a gateway that was killed while it transcribed is transcribed by another, once', async () => {
  const line = await newNoteLine()
  const note = noteOf('Left behind')
  const file = `/media/${note.audio.id}`
  platform.fault = ({ path }) => (path === file ? 'hangs' : undefined)
  await using doomed = await GatewayProcess.start(deployment, {
    ...settings,
    SVC_MSGAPP_APP_SECRET: appSecret,
    SVC_MSGAPP_VERIFY_TOKEN: verifyToken,
  })
  const body = JSON.stringify(deliveryOf(line, { messages: [note] }))
  const signed = { 'x-hub-signature-256': signatureOf(appSecret, body) }
  const taken = await fetch(`${doomed.url}/v1/msgapp/webhook`, { method: 'POST', headers: signed, body })
  assert.deepEqual([taken.status, await taken.json()], [200, { received: 1 }])
  await until('it is being fetched', () => platform.requests.some(({ path }) => path === file))
  await fixture.untranscribedMessages.poll()
  assert.equal(receiver.times(note.id), 0)
  await doomed.kill()
  platform.fault = () => undefined
  await until('another takes it', async () => {
    await fixture.untranscribedMessages.poll()
    return receiver.times(note.id) > 0
  })
  assert.equal((await heard(note)).text, 'Left behind')
  assert.equal(receiver.times(note.id), 1)
})
