import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { MessagingFake } from '../../../testing/messaging/messaging-fake.ts'
import { PublicAddresses } from '../../foundation/public-addresses.ts'
import { WireFailure } from '../../telephony/carriers/carrier-wire.ts'
import { MessagingPlatform } from './messaging-platform.ts'

const platform = await MessagingFake.start()
after(() => platform.stop())
const line = platform.addNumber('+14155550199')
const addresses = new PublicAddresses({ privateHosts: [], resolver: undefined, caPem: undefined })
const api = new MessagingPlatform(platform.url, addresses)
const text = {
  phoneNumberId: line.phone_number_id,
  accessToken: line.access_token,
  content: { type: 'text', text: { body: 'Hello' } },
  opaque: 'call_1:2:0',
} as const

const failureOf = async (asked: Promise<unknown>): Promise<WireFailure> => {
  const failure = await asked.then(
    () => assert.fail('it did not fail'),
    (error: unknown) => error,
  )
  assert.ok(failure instanceof WireFailure, String(failure))
  assert.equal(failure.status, 502)
  return failure
}

test('the messaging platform answers the number and the name of an id (N-124, ND-21)', async () => {
  const { phone_number_id, access_token } = platform.addNumber('+14155550123', 'Acme Desk')
  assert.deepEqual(await api.numberOf(phone_number_id, access_token), {
    number: '+14155550123',
    name: 'Acme Desk',
  })
  assert.deepEqual(platform.requests.at(-1)?.query, { fields: 'display_phone_number,verified_name' })
  const failure = await failureOf(api.numberOf('1', access_token))
  assert.equal(failure.answered, 400)
  assert.match(failure.message, /^the messaging platform says: Unsupported get request/)
  const hasty = new MessagingPlatform(platform.url, addresses, { timeoutMs: 300 })
  platform.fault = () => 'hangs'
  assert.equal(
    (await failureOf(hasty.numberOf('1', access_token))).message,
    'the messaging platform did not answer',
  )
  platform.fault = () => undefined
})

test("a contact whose number the platform does not show is written to by the platform's own id, any other by the digits of the number (ND-21, ND-83)", async () => {
  const id = await api.send({ ...text, contact: 'US.13491208655302741918' })
  assert.equal(id, platform.sent.at(-1)?.id)
  const { to, recipient } = platform.requests.at(-1)?.body ?? {}
  assert.deepEqual([to, recipient], [undefined, 'US.13491208655302741918'])
  await api.send({ ...text, contact: '+34911234567' })
  const body = platform.requests.at(-1)?.body ?? {}
  assert.deepEqual(body, {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    to: '34911234567',
    type: 'text',
    text: { body: 'Hello' },
    biz_opaque_callback_data: 'call_1:2:0',
  })
})

test('a platform that takes a text without naming it has taken it all the same', async () => {
  platform.fault = () => ({ status: 200 })
  assert.equal(await api.send({ ...text, contact: '+34911234567' }), null)
})
