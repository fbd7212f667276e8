import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { GatewayProcess } from '../../../testing/gateway-process.ts'
import { MessagingFake } from '../../../testing/messaging/messaging-fake.ts'
import { deliveryOf, signatureOf } from '../../../testing/messaging/platform-deliveries.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { until } from '../../../testing/until.ts'
import {
  asked,
  fixture,
  deployment,
  newNoteLine,
  noteOf,
  notRead,
  platform,
  receiver,
  settings,
  slowSpeechToText,
  wire,
} from '../../../testing/messaging/voice-note-fixture.ts'
import { answered, appSecret, textOf, verifyToken } from '../../../testing/messaging/webhook-fixture.ts'
import { dayMs, hourMs } from '../../foundation/clock.ts'

test('a voice note is fetched, transcribed by the agent’s speech-to-text and read as what was said (ND-75)', async () => {
  const line = await newNoteLine()
  const { client } = await line.org.person('admin', { production: true })
  done(
    await client
      .in('production')
      .put('/v1/agents/desk/settings', { config: { language: 'es' }, if_version: 0 }),
  )
  const note = noteOf('Hola, ¿abren hoy?')
  const answer = await fixture.deliver(line, { messages: [note] })
  assert.deepEqual([answer.status, answer.body], [200, { received: 1 }])
  const { type, text, messageId } = receiver.received.at(-1) ?? {}
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
    assert.deepEqual((await fixture.deliver(line, { messages: [note] })).body, { received: 1 })
    return [...tokens(`/v21.0/${note.audio.id}`), ...tokens(`/media/${note.audio.id}`)]
  }
  assert.deepEqual(await fetched(), [platform.platformToken, platform.platformToken])
  const { client } = await line.org.person('admin')
  const { phone_number_id, access_token } = line
  done(await client.put('/v1/carrier', { phone_number_id, access_token }))
  assert.deepEqual(await fetched(), [access_token, access_token])
  await client.delete('/v1/carrier')
  assert.deepEqual(await fetched(), [platform.platformToken, platform.platformToken])
})

test('a fetch or a hearing that fails is a failed reading: 500, and the next delivery reads it (N-099, N-348, ND-75, T-63)', async () => {
  const line = await newNoteLine()
  const note = noteOf('Try again')
  const fails = async () => {
    refused(await fixture.deliver(line, { messages: [note] }), 500, notRead)
    assert.deepEqual(await fixture.claims(line), [])
  }
  for (const path of [`/v21.0/${note.audio.id}`, `/media/${note.audio.id}`])
    for (const fault of [{ status: 404 }, { status: 500 }, 'breaks'] as const) {
      platform.fault = (sent) => (sent.path === path ? fault : undefined)
      await fails()
    }
  platform.fault = () => undefined
  wire.mode = 'fault'
  await fails()
  wire.mode = 'answer'
  assert.deepEqual((await fixture.deliver(line, { messages: [note] })).body, { received: 1 })
  assert.equal(receiver.times(note.id), 1)
  assert.ok(!deployment.log().includes(platform.platformToken))
})

test('while a voice note is heard its repeat is 503, and 200 after (N-350, T-61)', async () => {
  const line = await newNoteLine()
  const note = noteOf('Slowly')
  using slow = slowSpeechToText()
  const before = asked.length
  const first = fixture.deliver(line, { messages: [note] })
  await until('speech-to-text is asked', () => asked.length > before)
  const beingRead = 'another delivery of a message is being read: deliver it again'
  refused(await answered(fixture.deliver(line, { messages: [note] })), 503, beingRead)
  slow.release()
  assert.deepEqual((await first).body, { received: 1 })
  assert.deepEqual((await fixture.deliver(line, { messages: [note] })).body, { received: 0 })
})

test('of three messages the second, a voice note that fails once, is read by the repeat, each once (ND-74, T-64)', async () => {
  const line = await newNoteLine()
  const messages = [textOf('one'), noteOf('two'), textOf('three')]
  wire.mode = 'fault'
  refused(await fixture.deliver(line, { messages }), 500, notRead)
  wire.mode = 'answer'
  assert.deepEqual((await fixture.deliver(line, { messages })).body, { received: 1 })
  const taken = receiver.received.filter(({ org }) => org === line.org.id).map(({ text }) => text)
  assert.deepEqual(taken, ['one', 'three', 'two'])
})

test('in one delivery a voice note holds up what its contact wrote after it, and no other contact (ND-74)', async () => {
  const line = await newNoteLine()
  using slow = slowSpeechToText()
  const ben = { from: '447700900123' }
  const messages = [textOf('A1'), noteOf('A2'), textOf('B1', ben), textOf('A3'), textOf('B2', ben)]
  const delivery = fixture.deliver(line, { messages })
  const taken = () => receiver.received.filter(({ org }) => org === line.org.id).map(({ text }) => text)
  await until('what others wrote is read', () => taken().length === 3)
  assert.deepEqual(taken(), ['A1', 'B1', 'B2'])
  slow.release()
  assert.deepEqual((await delivery).body, { received: 5 })
  assert.deepEqual(taken(), ['A1', 'B1', 'B2', 'A2', 'A3'])
})

test('eight voice notes are heard at once and the rest wait their turn, while texts are read', async () => {
  const line = await newNoteLine()
  using slow = slowSpeechToText()
  const before = asked.length
  const notes = Array.from({ length: 10 }, (_, at) =>
    noteOf(`note ${at}`, undefined, { from: `3491000000${at}` }),
  )
  const deliveries = notes.map((note) => fixture.deliver(line, { messages: [note] }))
  await until('eight are being heard', () => asked.length === before + 8)
  await until('all are claimed', async () => (await fixture.claims(line)).length === 10)
  assert.deepEqual((await fixture.deliver(line, { messages: [textOf('Meanwhile')] })).body, { received: 1 })
  assert.equal(asked.length, before + 8)
  slow.release()
  for (const answer of await Promise.all(deliveries)) assert.deepEqual(answer.body, { received: 1 })
  assert.equal(asked.length, before + 10)
})

test('one that comes more than a day late is not heard any more', async () => {
  const line = await newNoteLine()
  const sentAgo = (ms: number) => ({ timestamp: String(Math.floor((Date.now() - ms) / 1000)) })
  receiver.becomes = 'expired'
  const before = asked.length
  const late = noteOf('Late', undefined, sentAgo(dayMs + hourMs))
  assert.deepEqual((await fixture.deliver(line, { messages: [late] })).body, { received: 0 })
  receiver.becomes = 'queued'
  assert.equal(asked.length, before)
  assert.deepEqual(await fixture.claims(line), [{ message_id: late.id, is_read: true }])
  const inTime = noteOf('In time', undefined, sentAgo(dayMs - hourMs))
  assert.deepEqual((await fixture.deliver(line, { messages: [inTime] })).body, { received: 1 })
})

test('no more than 16 MB is fetched', async () => {
  const line = await newNoteLine()
  const most = 16 * 1024 * 1024
  const before = asked.length
  refused(await fixture.deliver(line, { messages: [noteOf(Buffer.alloc(most + 1, 'x'))] }), 500, notRead)
  assert.equal(asked.length, before)
  assert.match(deployment.log(), /answers more than 16777216 bytes/)
})

test('what is fetched is at a public address and over TLS, whatever the answer names', async () => {
  const line = await newNoteLine()
  await using guarded = await fixture.another({ SVC_PRIVATE_HOSTS: '' })
  const note = noteOf('Inside')
  refused(await guarded.deliver(line, { messages: [note] }), 500, notRead)
  assert.match(guarded.deployment.log(), /127\.0\.0\.1 resolves to an address that is not public/)
  const plain = await MessagingFake.start()
  const media = plain.addMedia(Buffer.from('x'))
  plain.addNumber(line.number)
  await using open = await fixture.another({
    SVC_MSGAPP_API: plain.url,
    SVC_MSGAPP_ACCESS_TOKEN: plain.platformToken,
  })
  refused(
    await open.deliver(line, { messages: [noteOf('x', undefined, { audio: { id: media } })] }),
    500,
    notRead,
  )
  assert.match(open.deployment.log(), /is asked over https alone/)
  assert.ok(plain.requests.every(({ path }) => !path.startsWith('/media/')))
  await plain.stop()
})

test('without any token a voice note is not read', async () => {
  const line = await newNoteLine()
  await using poor = await fixture.another({ SVC_MSGAPP_ACCESS_TOKEN: '' })
  refused(await poor.deliver(line, { messages: [noteOf('x')] }), 500, notRead)
  assert.match(poor.deployment.log(), /no token opens voice notes/)
})

test('a gateway killed while it reads leaves a claim that the next delivery takes over at once (N-100, N-531, T-65, ND-76)', async () => {
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
  const lost = fetch(`${doomed.url}/v1/msgapp/webhook`, { method: 'POST', headers: signed, body })
  const cut = assert.rejects(lost)
  await until('it is being fetched', () => platform.requests.some(({ path }) => path === file))
  const living = await answered(fixture.deliver(line, { messages: [note] }))
  refused(living, 503, 'another delivery of a message is being read: deliver it again')
  await doomed.kill()
  await cut
  platform.fault = () => undefined
  const read = await fixture.deliver(line, { messages: [note] })
  assert.deepEqual([read.status, read.body], [200, { received: 1 }])
  assert.equal(receiver.received.at(-1)?.text, 'Left behind')
})
