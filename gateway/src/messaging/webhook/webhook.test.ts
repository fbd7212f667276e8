import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { text as textIn } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { refused } from '../../../testing/client.ts'
import { deliveryOf, signatureOf } from '../../../testing/messaging/platform-deliveries.ts'
import { appSecret, textOf, verifyToken, WebhookFixture } from '../../../testing/messaging/webhook-fixture.ts'

const fixture = await WebhookFixture.start()
after(() => fixture[Symbol.asyncDispose]())
const { receiver } = fixture

const word = encodeURIComponent(verifyToken)
const notSigned = 'X-Hub-Signature-256 does not sign these bytes'
const noHandshake =
  'a handshake is hub.mode=subscribe, hub.verify_token with the right word and hub.challenge'
const closed =
  'this deployment has no messaging credentials: set SVC_MSGAPP_APP_SECRET and SVC_MSGAPP_VERIFY_TOKEN'

test('the handshake answers the challenge as plain text, without a key (N-321, N-322, N-404, ND-71, T-59)', async () => {
  for (const challenge of ['1158201444', '"quoted" <b> é', '{"a": 1}', '0']) {
    const query = `hub.mode=subscribe&hub.verify_token=${word}&hub.challenge=${encodeURIComponent(challenge)}`
    const answer = await fixture.handshake(query)
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('content-type'), 'text/plain; charset=utf-8')
    assert.deepEqual(answer.bytes, Buffer.from(challenge))
  }
})

test('a handshake with another word, of another mode or without one of its parts is refused (N-324, ND-71)', async () => {
  for (const query of [
    '',
    `hub.mode=subscribe&hub.verify_token=${word}x&hub.challenge=1`,
    `hub.mode=subscribe&hub.verify_token=${word.toUpperCase()}&hub.challenge=1`,
    `hub.mode=subscribe&hub.verify_token=&hub.challenge=1`,
    `hub.mode=unsubscribe&hub.verify_token=${word}&hub.challenge=1`,
    `hub.verify_token=${word}&hub.challenge=1`,
    `hub.mode=subscribe&hub.challenge=1`,
    `hub.mode=subscribe&hub.verify_token=${word}`,
    `hub.mode=subscribe&hub.mode=subscribe&hub.verify_token=${word}&hub.challenge=1`,
    `hub.mode=subscribe&hub.verify_token=${word}&hub.verify_token=${word}&hub.challenge=1`,
  ])
    refused(await fixture.handshake(query), 403, noHandshake)
})

test('without the secret or the word both doors are closed, before anything else is looked at (N-332, N-333, ND-70, T-58)', async () => {
  const line = await fixture.newLine()
  const body = JSON.stringify(deliveryOf(line, { messages: [textOf('Hello')] }))
  for (const unset of ['SVC_MSGAPP_APP_SECRET', 'SVC_MSGAPP_VERIFY_TOKEN']) {
    await using shut = await fixture.another({ [unset]: '' })
    const handshake = `hub.mode=subscribe&hub.verify_token=${word}&hub.challenge=1`
    for (const query of [handshake, '']) refused(await shut.handshake(query), 503, closed)
    refused(await shut.post(body), 503, closed)
    refused(await shut.post(body, { 'x-hub-signature-256': 'sha256=00' }), 503, closed)
    refused(await shut.post('x'.repeat(4 * 1024 * 1024 + 1)), 503, closed)
    assert.deepEqual(shut.receiver.received, [])
  }
  assert.deepEqual(await fixture.claims(line), [])
  // The token that answers go out on is not among them.
  await using tokenless = await fixture.another({ SVC_MSGAPP_ACCESS_TOKEN: '' })
  assert.equal((await tokenless.post(body)).status, 200)
})

test('a signed delivery is read without a key, and counted (N-325, N-326, N-405, ND-73)', async () => {
  const line = await fixture.newLine()
  const message = textOf('Good morning', { timestamp: '1749416383' })
  const contacts = [{ profile: { name: 'Ana' }, wa_id: message.from }]
  const answer = await fixture.deliver(line, { contacts, messages: [message] })
  assert.deepEqual([answer.status, answer.body], [200, { received: 1 }])
  assert.deepEqual(receiver.received.at(-1), {
    org: line.org.id,
    env: 'production',
    agent: 'desk',
    number: line.number,
    phoneNumberId: line.phone_number_id,
    contact: '+34911234567',
    name: 'Ana',
    messageId: message.id,
    type: 'text',
    text: 'Good morning',
    sentAt: new Date(1749416383_000),
  })
})

test('the signature is of the bytes as they came: odd spaces and escapes pass, one changed byte does not (N-337, N-339, T-56)', async () => {
  const line = await fixture.newLine()
  const odd = (words: string) =>
    JSON.stringify(deliveryOf(line, { messages: [textOf('WORDS')] }), null, '\t ')
      .replace('WORDS', words)
      .concat(' \r\n\n')
  const body = odd(String.raw`caf\u00e9 \/ ñ`)
  assert.deepEqual((await fixture.post(body)).body, { received: 1 })
  assert.equal(receiver.received.at(-1)?.text, 'café / ñ')

  const other = odd(String.raw`t\u00e9`)
  const signature = { 'x-hub-signature-256': signatureOf(appSecret, other) }
  const anew = JSON.stringify(JSON.parse(other))
  refused(await fixture.post(anew, signature), 403, notSigned)
  const bytes = Buffer.from(other)
  for (let at = 0; at < bytes.length; at += 37) {
    const flipped = Buffer.from(bytes)
    flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8))
    refused(await fixture.post(flipped, signature), 403, notSigned)
  }
  for (const cut of [other.trimEnd(), other.slice(1), `${other}\n`, ''])
    refused(await fixture.post(cut, signature), 403, notSigned)
  assert.equal((await fixture.claims(line)).length, 1)
  assert.deepEqual((await fixture.post(other, signature)).body, { received: 1 })
})

/** Sends these headers as they are, also twice. */
async function send(body: string, headers: Record<string, string | string[]>) {
  const sent = request(`${fixture.url}/v1/msgapp/webhook`, { method: 'POST', headers })
  sent.end(body)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: answer.statusCode, body: JSON.parse(await textIn(answer)) as unknown }
}

test('without a signature, with two or with another’s nothing is read (N-339, ND-72)', async () => {
  const line = await fixture.newLine()
  const body = JSON.stringify(deliveryOf(line, { messages: [textOf('Hello')] }))
  const signature = signatureOf(appSecret, body)
  const other = signatureOf('another secret', body)
  for (const headers of [
    {},
    { 'x-hub-signature-256': '' },
    { 'x-hub-signature-256': other },
    { 'x-hub-signature-256': [signature, signature] },
    { 'x-hub-signature-256': [other, signature] },
    { 'x-hub-signature-256': `${signature}, ${signature}` },
    { 'x-hub-signature-256': signature.slice('sha256='.length) },
    { 'x-hub-signature': signature },
    { 'x-hub-signature-256': signature.replace('sha256', 'sha512') },
    { authorization: `Bearer ${appSecret}` },
  ] as Record<string, string | string[]>[])
    assert.deepEqual(await send(body, headers), {
      status: 403,
      body: { detail: notSigned, code: 'FORBIDDEN' },
    })
  assert.deepEqual(await fixture.claims(line), [])
  const upper = signature.toUpperCase().replace('SHA256', 'sha256')
  assert.deepEqual(await send(body, { 'x-hub-signature-256': upper }), { status: 200, body: { received: 1 } })
})

test('the signature comes before the form: whatever the body is called or holds, unsigned is 403 and signed is 200 (N-338, N-340, ND-72, T-57)', async () => {
  const line = await fixture.newLine()
  const delivery = JSON.stringify(deliveryOf(line, { messages: [textOf('Hello')] }))
  const types = ['application/json', 'text/plain', 'multipart/form-data', ';;', 'no type at all', '']
  for (const type of types) {
    for (const body of ['{"a": ', '', '[]', 'null', '\0', '{"__proto__": {"x": 1}}', '"\\ud800"']) {
      const called = type === '' ? {} : { 'content-type': type }
      const wrong = { ...called, 'x-hub-signature-256': signatureOf('another', body) }
      assert.deepEqual(
        await send(body, wrong),
        { status: 403, body: { detail: notSigned, code: 'FORBIDDEN' } },
        `${type} ${body}`,
      )
      const right = { ...called, 'x-hub-signature-256': signatureOf(appSecret, body) }
      assert.deepEqual(await send(body, right), { status: 200, body: { received: 0 } }, `${type} ${body}`)
    }
    const again = { 'content-type': type, 'x-hub-signature-256': signatureOf(appSecret, delivery) }
    const received = type === types[0] ? 1 : 0
    assert.deepEqual(await send(delivery, again), { status: 200, body: { received } })
  }
  assert.match(fixture.deployment.log(), /"rest":\["no delivery"\],.*a delivery held what is not read/)
})

test('a body is at most 4 MiB (ND-72)', async () => {
  const line = await fixture.newLine()
  const most = 4 * 1024 * 1024
  const body = JSON.stringify(deliveryOf(line, { messages: [textOf('Hello')] }))
  refused(await fixture.post(body.padEnd(most + 1)), 413, 'that body is too large')
  assert.deepEqual(await fixture.claims(line), [])
  assert.deepEqual((await fixture.post(body.padEnd(most))).body, { received: 1 })
})
