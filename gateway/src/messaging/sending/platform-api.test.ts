import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { MessagingFake } from '../../../testing/messaging/messaging-fake.ts'
import { PlatformApi } from './platform-api.ts'

const platform = await MessagingFake.start()
after(() => platform.stop())
const line = platform.addNumber('+14155550199')
const api = new PlatformApi(platform.url)
const text = {
  phoneNumberId: line.phone_number_id,
  accessToken: line.access_token,
  text: 'Hello',
  opaque: 'call_1:2:0',
}

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
