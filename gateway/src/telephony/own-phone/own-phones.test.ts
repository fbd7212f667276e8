import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { CarrierFake } from '../../../testing/telephony/carrier-fake.ts'
import { refused, type Client } from '../../../testing/client.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { hourMs, minuteMs, secondMs } from '../../foundation/clock.ts'
import { isOwnPhone } from './own-phones.ts'

const carrier = await CarrierFake.start()
after(() => carrier.stop())
const account = carrier.account()
const { account_sid, user, secret } = account.newKey()
const sender = '+15005550006'
const deployment = await startDeployment({
  ...carrier.settings,
  SVC_CARRIER_ACCOUNT_SID: account_sid,
  SVC_CARRIER_USER: user,
  SVC_CARRIER_SECRET: secret,
  SVC_VERIFY_FROM: sender,
})
after(() => deployment[Symbol.asyncDispose]())
const { sql, clock } = deployment
const org = await deployment.newOrg()

const path = '/v1/line/from'
let last = 0
const newNumber = () => `+4420794${String((last += 1)).padStart(5, '0')}`
const ask = (client: Client, number: string) => client.put(path, { number })
const tell = (client: Client, number: string, code: string) => client.put(path, { number, code })
const read = async (client: Client) => done(await client.get(path))
/** The code of the newest text to the number. */
const codeFor = (number: string): string => {
  const text = account.texts.findLast(({ to }) => to === number)
  return /^(\d{6}) is your code\. It works for 10 minutes, and once\.$/.exec(text?.body ?? '')?.[1] ?? ''
}
const otherThan = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')
const wrong = 'that code is wrong, expired or tried too often: ask for another'

test('a code goes to the number by text, and sending it back proves the phone (ND-58)', async () => {
  const ana = await org.person('qa')
  const number = newNumber()
  assert.deepEqual(await read(ana.client), { number: null, verified: null })
  const answer = await ask(ana.client, number)
  assert.equal(answer.status, 202, answer.text)
  const { expires_at, ...sent } = answer.body
  assert.deepEqual(sent, { number, verified: false })
  assert.ok(Math.abs(expires_at - clock.now().getTime() / 1000 - 600) < 10)
  const text = account.texts.find(({ to }) => to === number)
  assert.deepEqual([text?.from, codeFor(number).length], [sender, 6])
  assert.deepEqual(await read(ana.client), { number, verified: false })
  const told = await tell(ana.client, number, codeFor(number))
  assert.deepEqual([told.status, told.body], [200, { number, verified: true }])
  assert.deepEqual(await read(ana.client), { number, verified: true })
  assert.deepEqual(await read(ana.client.in('sandbox')), { number, verified: true })
  const { database } = deployment.gateway.services
  assert.equal(await isOwnPhone(database, org.id, ana.id, number), true)
  assert.equal(await isOwnPhone(database, org.id, ana.id, newNumber()), false)
})

test('a phone is its member’s in this org alone (ND-58)', async () => {
  const ana = await org.person('qa')
  const ben = await org.person('qa')
  const elsewhere = await deployment.newOrg()
  const there = await elsewhere.join(ana.email, 'qa')
  const number = newNumber()
  await ask(ana.client, number)
  refused(await tell(ben.client, number, codeFor(number)), 400, wrong)
  done(await tell(ana.client, number, codeFor(number)))
  for (const { client } of [ben, there])
    assert.deepEqual(await read(client), { number: null, verified: null })
})

test('a code works once, for 10 minutes, and for its own number (ND-58)', async () => {
  const { client } = await org.person('qa')
  const [number, other] = [newNumber(), newNumber()]
  await ask(client, number)
  refused(await tell(client, other, codeFor(number)), 400, wrong)
  refused(await tell(client, number, otherThan(codeFor(number))), 400, wrong)
  refused(await tell(client, number, ''), 400, wrong)
  clock.forward(10 * minuteMs - 5 * secondMs)
  done(await tell(client, number, ` ${codeFor(number)} `))
  refused(await tell(client, number, codeFor(number)), 400, wrong)
  await ask(client, other)
  clock.forward(10 * minuteMs)
  refused(await tell(client, other, codeFor(other)), 400, wrong)
  assert.deepEqual(await read(client), { number, verified: true })
})

test('six tries burn a code, also when they come at the same time (ND-58)', async () => {
  const one = await org.person('qa')
  const number = newNumber()
  await ask(one.client, number)
  for (let n = 0; n < 5; n += 1)
    refused(await tell(one.client, number, otherThan(codeFor(number))), 400, wrong)
  done(await tell(one.client, number, codeFor(number)))

  const two = await org.person('qa')
  await ask(two.client, number)
  const code = codeFor(number)
  const guesses = Array.from({ length: 6 }, () => tell(two.client, number, otherThan(code)))
  for (const guess of await Promise.all(guesses)) refused(guess, 400, wrong)
  refused(await tell(two.client, number, code), 400, wrong)
  assert.deepEqual(await read(two.client), { number: null, verified: null })
  const { rows } = await sql('select tries from phone_codes where member = $1', [two.id])
  assert.deepEqual(rows, [{ tries: 7 }])
})

test('a right code sent several times concurrently works once (ND-58)', async () => {
  const { client } = await org.person('qa')
  const number = newNumber()
  await ask(client, number)
  const code = codeFor(number)
  const answers = await Promise.all(Array.from({ length: 5 }, () => tell(client, number, code)))
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  for (const answer of answers) if (answer.status !== 200) refused(answer, 400, wrong)
})

test('three codes an hour are sent to a member’s asking, also at the same time (ND-58)', async () => {
  const { client } = await org.person('qa')
  const number = newNumber()
  const sentence = 'three codes were sent in the last hour: wait before you ask for another'
  const answers = await Promise.all(Array.from({ length: 8 }, () => ask(client, number)))
  assert.equal(answers.filter(({ status }) => status === 202).length, 3)
  for (const answer of answers) if (answer.status !== 202) refused(answer, 429, sentence)
  assert.equal(account.texts.filter(({ to }) => to === number).length, 3)
  clock.forward(hourMs - minuteMs)
  refused(await ask(client, newNumber()), 429, sentence)
  clock.forward(minuteMs + secondMs)
  assert.equal((await ask(client, number)).status, 202)
})

test('a newer code replaces the older, and a new phone the old one once it is verified (ND-58)', async () => {
  const { client } = await org.person('qa')
  const [first, second] = [newNumber(), newNumber()]
  await ask(client, first)
  const early = codeFor(first)
  await ask(client, first)
  if (early !== codeFor(first)) refused(await tell(client, first, early), 400, wrong)
  done(await tell(client, first, codeFor(first)))
  await ask(client, second)
  assert.deepEqual(await read(client), { number: first, verified: true })
  done(await tell(client, second, codeFor(second)))
  assert.deepEqual(await read(client), { number: second, verified: true })
})

test('a phone is removed with the code that was sent (ND-58)', async () => {
  const { client } = await org.person('qa')
  const [number, other] = [newNumber(), newNumber()]
  await ask(client, number)
  done(await tell(client, number, codeFor(number)))
  await ask(client, other)
  assert.equal((await client.delete(path)).status, 204)
  assert.deepEqual(await read(client), { number: null, verified: null })
  refused(await tell(client, other, codeFor(other)), 400, wrong)
  assert.equal((await client.delete(path)).status, 204)
})

test('a number that cannot be dialled gets no code (ND-58)', async () => {
  const { client } = await org.person('qa')
  const form = 'a number is + and its digits, calling code first, with nothing between them'
  for (const [number, why] of [
    ['02079460018', form],
    ['+44 20 7946 0018', form],
    ['+8811234567', '+881 is a satellite or global-service range'],
    ['+12345', 'it has fewer than five digits after its calling code +1'],
  ] as const)
    refused(await ask(client, number), 400, `${number} gets no code: ${why}`)
  refused(await client.put(path, {}), 422, 'number: is required')
})

test('what the carrier says of a text it does not take is answered, and neither code nor secret is in it (ND-58, T-30)', async () => {
  const { client } = await org.person('qa')
  const number = newNumber()
  let body = ''
  carrier.fault = ({ form }) => {
    body = form['Body'] ?? ''
    return { status: 400, code: 21610, message: `no text to ${number}: ${body}` }
  }
  const answer = await ask(client, number)
  carrier.fault = () => undefined
  refused(answer, 502, /^the carrier says: no text to /)
  const code = body.slice(0, 6)
  const { rows } = await sql('select phone_codes::text as kept from phone_codes where number = $1', [number])
  for (const told of [answer.text, deployment.log(), ...rows.map(({ kept }) => kept)])
    assert.ok(!told.includes(code) && !told.includes(secret))
})

test('without a sender or an account of the platform no code is sent (ND-58)', async () => {
  const sentence =
    'this deployment sends no codes: the operator sets SVC_VERIFY_FROM and SVC_CARRIER_ACCOUNT_SID'
  const { key } = await org.person('qa')
  const unset = { SVC_CARRIER_ACCOUNT_SID: '', SVC_CARRIER_USER: '', SVC_CARRIER_SECRET: '' }
  for (const wanted of [{ SVC_VERIFY_FROM: '' }, unset]) {
    const other = await deployment.another(wanted)
    refused(await ask(other.anonymous.as(key), newNumber()), 503, sentence)
  }
})

test('a server token names no person who could have a phone (ND-07)', async () => {
  const { client } = await org.serverToken('sandbox')
  const sentence = "this door takes a person's key"
  refused(await ask(client, newNumber()), 403, sentence)
  refused(await client.get(path), 403, sentence)
  refused(await client.delete(path), 403, sentence)
})

test('codes that are past are forgotten', async () => {
  const { client, id } = await org.person('qa')
  await ask(client, newNumber())
  await deployment.gateway.services.housekeeping.run()
  const count = async () => (await sql('select from phone_codes where member = $1', [id])).rowCount
  assert.equal(await count(), 1)
  clock.forward(10 * minuteMs)
  await deployment.gateway.services.housekeeping.run()
  assert.equal(await count(), 0)
})
