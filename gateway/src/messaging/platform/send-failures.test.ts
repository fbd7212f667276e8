import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { MessagingFake, type MessagingFault } from '../../../testing/messaging/messaging-fake.ts'
import { PublicAddresses } from '../../foundation/public-addresses.ts'
import { WireFailure } from '../../telephony/carriers/carrier-wire.ts'
import { MessagingPlatform, type Content } from './messaging-platform.ts'
import { pauseAfterMs, sendFailureOf } from './send-failures.ts'

const platform = await MessagingFake.start()
after(() => platform.stop())
const line = platform.addNumber('+14155550199')
const addresses = new PublicAddresses({ privateHosts: [], resolver: undefined, caPem: undefined })
const api = new MessagingPlatform(platform.url, addresses, { timeoutMs: 500 })
const text: Content = { type: 'text', text: { body: 'Hello' } }

/** How a send fails, as the outlet judges it. */
async function failureOf(content: Content = text, contact = '+34911234567') {
  const { phone_number_id: phoneNumberId, access_token: accessToken } = line
  const sent = api.send({ phoneNumberId, accessToken, contact, content, opaque: 'call_1:2:0' })
  const failure = await sent.then(
    () => assert.fail('it was taken'),
    (error: unknown) => error,
  )
  assert.ok(failure instanceof WireFailure, String(failure))
  return sendFailureOf(failure)
}

test('too many requests, also with a 400, are tried again at once after the pause; a timeout, a broken answer and a 5xx only without a receipt; any other refusal never', async () => {
  const faults: [MessagingFault, code: number | null, isPassing: boolean, mayHaveArrived: boolean][] = [
    [{ status: 429, code: 130429, message: '(#130429) Rate limit hit' }, 130429, true, false],
    [{ status: 400, code: 131056, message: 'Pair rate limit hit' }, 131056, true, false],
    [{ status: 400, code: 80007, message: '(#80007) Rate limit issues' }, 80007, true, false],
    [{ status: 400, code: 4, message: '(#4) Application request limit reached' }, 4, true, false],
    ['hangs', null, true, true],
    ['breaks', null, true, true],
    [{ status: 500, code: 131000, message: '(#131000) Something went wrong' }, 131000, true, true],
    [{ status: 503, code: 2, message: 'Service temporarily unavailable' }, null, true, true],
    [{ status: 401, code: 190, message: 'Invalid OAuth access token' }, null, false, false],
    [{ status: 400, code: 131026, message: '(#131026) Message undeliverable' }, 131026, false, false],
    [{ status: 403, code: 131031, message: '(#131031) Account has been locked' }, 131031, false, false],
  ]
  for (const [fault, code, isPassing, mayHaveArrived] of faults) {
    platform.fault = () => fault
    const failure = await failureOf()
    assert.deepEqual(
      [failure.error.code, failure.isPassing, failure.mayHaveArrived],
      [code, isPassing, mayHaveArrived],
      JSON.stringify(fault),
    )
  }
  platform.fault = () => undefined
})

test('the sentence has the platform’s code in front, its explanation behind, and a template as the way out of a closed window', async () => {
  platform.lastWrote = { has: () => false }
  const { error, isPassing } = await failureOf()
  platform.lastWrote = undefined
  assert.deepEqual([error.code, isPassing], [131047, false])
  assert.equal(
    error.detail,
    'the messaging platform says: (#131047) Re-engagement message: Message failed to send because more than 24 hours have passed since the customer last replied to this number.; send an approved template instead',
  )
  platform.fault = () => ({ status: 400, code: 131056, message: 'Pair rate limit hit', details: 'Too many' })
  assert.equal(
    (await failureOf()).error.detail,
    'the messaging platform says: (#131056) Pair rate limit hit: Too many',
  )
  platform.fault = () => undefined
})

test('a template that the platform does not know, has paused or gets too few variables for is refused for good', async () => {
  platform.addTemplate(line, {
    name: 'reminder',
    components: [
      { type: 'BODY', text: 'Hello {{1}}' },
      { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'See', url: 'https://shrub.example/{{1}}' }] },
    ],
  })
  platform.addTemplate(line, { name: 'paused', status: 'PAUSED', components: [] })
  platform.addTemplate(line, { name: 'pictured', components: [{ type: 'HEADER', format: 'IMAGE' }] })
  const sent = (name: string, components: object[] = [], code = 'en_US'): Content => ({
    type: 'template',
    template: { name, language: { code }, components },
  })
  const hello = { type: 'body', parameters: [{ type: 'text', text: 'Ana' }] }
  for (const [content, code] of [
    [sent('unknown'), 132001],
    [sent('reminder', [hello], 'es'), 132001],
    [sent('paused'), 132015],
    [sent('reminder'), 132000],
    [sent('reminder', [hello]), 131008],
    [sent('reminder', [{ type: 'body', parameters: [{ type: 'text', text: 'a\nb' }] }]), 132018],
    [sent('pictured'), 132012],
  ] as const) {
    const { error, isPassing } = await failureOf(content)
    assert.deepEqual([error.code, isPassing], [code, false], JSON.stringify(content))
  }
})

test('the pause doubles from a second to a minute', () => {
  assert.deepEqual([1, 2, 3, 6, 7, 50].map(pauseAfterMs), [1000, 2000, 4000, 32_000, 60_000, 60_000])
})
