import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused, type Answer } from '../../../testing/client.ts'
import { until } from '../../../testing/until.ts'
import {
  answered,
  textOf,
  WebhookFixture,
  type WebhookLine,
} from '../../../testing/messaging/webhook-fixture.ts'
import { dayMs, later, minuteMs, secondMs } from '../../foundation/clock.ts'

const fixture = await WebhookFixture.start()
after(() => fixture[Symbol.asyncDispose]())
const { receiver, deployment } = fixture

const beingRead = 'another delivery of a message is being read: deliver it again'
const notRead = 'a message could not be read: deliver it again'

/** A gateway began to read a message then, and died. */
async function leaveClaim(
  line: WebhookLine,
  messageId: string,
  claimedAt: Date,
  gateway: string | null = null,
) {
  await deployment.sql(
    'insert into message_claims (org, message_id, claimed_at, gateway) values ($1, $2, $3, $4)',
    [line.org.id, messageId, claimedAt, gateway],
  )
}

const ago = (ms: number) => later(deployment.clock.now(), -ms)

/** A receiver that is busy until it is released, at the latest when its test ends, and may fail then. */
function stall(at = receiver, failure?: Error) {
  const { promise, resolve } = Promise.withResolvers<void>()
  let begun = false
  at.before = async () => {
    begun = true
    await promise
    if (failure) throw failure
  }
  const release = () => {
    at.before = () => {}
    resolve()
  }
  return { begins: () => until('the reading begins', () => begun), release, [Symbol.dispose]: release }
}

test('a message that was read is dropped however often it is delivered (N-347, ND-73, ND-76)', async () => {
  const line = await fixture.newLine()
  const message = textOf('Once')
  for (const received of [1, 0, 0]) {
    const answer = await fixture.deliver(line, { messages: [message] })
    assert.deepEqual([answer.status, answer.body], [200, { received }])
  }
  assert.equal(receiver.times(message.id), 1)
  assert.deepEqual(await fixture.claims(line), [{ message_id: message.id, is_read: true }])
})

test('deliveries repeat for days and are read once (N-344)', async () => {
  const line = await fixture.newLine()
  const message = textOf('Once')
  await using days = await fixture.another()
  assert.deepEqual((await fixture.deliver(line, { messages: [message] })).body, { received: 1 })
  days.deployment.clock.forward(6 * dayMs)
  assert.deepEqual((await days.deliver(line, { messages: [message] })).body, { received: 0 })
  assert.deepEqual([receiver.times(message.id), days.receiver.times(message.id)], [1, 0])
})

test('what waits or was dropped was read as well: it is not taken again (N-098, ND-73)', async () => {
  const line = await fixture.newLine()
  for (const [becomes, received] of [
    ['waiting', 1],
    ['dropped', 0],
  ] as const) {
    receiver.becomes = becomes
    const message = textOf('Anybody?')
    assert.deepEqual((await fixture.deliver(line, { messages: [message] })).body, { received })
    receiver.becomes = 'queued'
    assert.deepEqual((await fixture.deliver(line, { messages: [message] })).body, { received: 0 })
    assert.equal(receiver.times(message.id), 1)
  }
})

test('fifty deliveries at the same time over two gateways: one reads, and none fails (N-096, N-346, T-60)', async () => {
  await using other = await fixture.another()
  for (let round = 0; round < 4; round += 1) {
    const line = await fixture.newLine()
    const message = textOf('Once')
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        (at % 2 ? fixture : other).deliver(line, { messages: [message] }),
      ),
    )
    assert.equal(receiver.times(message.id) + other.receiver.times(message.id), 1)
    const statuses = new Set(answers.map(({ status }) => status))
    assert.ok(statuses.isSubsetOf(new Set([200, 503])), [...statuses].join())
    const counted = answers.filter(({ status }) => status === 200).map(({ body }) => Number(body.received))
    assert.equal(
      counted.reduce((sum, received) => sum + received, 0),
      1,
    )
    assert.deepEqual(await fixture.claims(line), [{ message_id: message.id, is_read: true }])
  }
})

test('a delivery that comes while another is reading is 503, and 200 once it is read (N-345, N-350, T-61)', async () => {
  const line = await fixture.newLine()
  const message = textOf('Slowly')
  using stalled = stall()
  const first = fixture.deliver(line, { messages: [message] })
  await stalled.begins()
  assert.deepEqual(await fixture.claims(line), [{ message_id: message.id, is_read: false }])
  refused(await answered(fixture.deliver(line, { messages: [message] })), 503, beingRead)
  stalled.release()
  assert.deepEqual((await first).body, { received: 1 })
  const again = await fixture.deliver(line, { messages: [message] })
  assert.deepEqual([again.status, again.body], [200, { received: 0 }])
  assert.equal(receiver.times(message.id), 1)
})

test('a reading that fails gives the claim back, its delivery is 500, and the next one reads (N-099, N-348, N-349, N-519, T-63)', async () => {
  const line = await fixture.newLine()
  for (const when of ['before', 'during'] as const) {
    const message = textOf('Try again')
    receiver[when] = () => Promise.reject(new Error('the disk is full'))
    refused(await fixture.deliver(line, { messages: [message] }), 500, notRead)
    assert.deepEqual(
      (await fixture.claims(line)).filter(({ message_id }) => message_id === message.id),
      [],
    )
    receiver[when] = () => {}
    assert.deepEqual((await fixture.deliver(line, { messages: [message] })).body, { received: 1 })
    assert.equal(receiver.times(message.id), 1)
  }
  assert.match(deployment.log(), /the disk is full.*a message could not be read/)
})

test('the delivery that lost to a reading which then fails is answered 503, so nothing is lost (N-350, T-61)', async () => {
  const line = await fixture.newLine()
  const message = textOf('Not lost')
  using stalled = stall()
  const first = fixture.deliver(line, { messages: [message] })
  await stalled.begins()
  refused(await answered(fixture.deliver(line, { messages: [message] })), 503, beingRead)
  receiver.during = () => Promise.reject(new Error('broken'))
  stalled.release()
  refused(await first, 500, notRead)
  receiver.during = () => {}
  assert.deepEqual((await fixture.deliver(line, { messages: [message] })).body, { received: 1 })
})

test('the same id at two orgs is read at both (N-052, ND-76, T-66)', async () => {
  const [one, other] = [await fixture.newLine(), await fixture.newLine()]
  const message = textOf('Hello')
  for (const line of [one, other])
    assert.deepEqual((await fixture.deliver(line, { messages: [message] })).body, { received: 1 })
  const orgs = receiver.received.filter(({ messageId }) => messageId === message.id).map(({ org }) => org)
  assert.deepEqual(orgs, [one.org.id, other.org.id])
  // Two numbers of one org share what was read.
  const second = await fixture.newLine(one.org)
  assert.deepEqual((await fixture.deliver(second, { messages: [message] })).body, { received: 0 })
})

test('a claim whose gateway is known to be dead is taken over at the next delivery, by one of many (ND-76)', async () => {
  await using other = await fixture.another()
  const line = await fixture.newLine()
  const message = textOf('Left')
  await leaveClaim(line, message.id, ago(secondMs), 'gw_gone')
  using here = stall()
  using there = stall(other.receiver)
  const answers: Answer[] = []
  const deliveries = Array.from({ length: 10 }, async (_, at) => {
    answers.push(await (at % 2 ? fixture : other).deliver(line, { messages: [message] }))
  })
  await until('all but the one that reads are answered', () => answers.length === 9)
  for (const answer of answers) refused(answer, 503, beingRead)
  here.release()
  there.release()
  await Promise.all(deliveries)
  assert.deepEqual(answers.at(-1)?.body, { received: 1 })
  assert.equal(receiver.times(message.id) + other.receiver.times(message.id), 1)
})

test('a claim of a gateway that lives is left to it by the others (ND-76)', async () => {
  await using other = await fixture.another()
  const line = await fixture.newLine()
  const message = textOf('Slowly')
  using stalled = stall()
  const first = fixture.deliver(line, { messages: [message] })
  await stalled.begins()
  for (const another of [other, fixture])
    refused(await answered(another.deliver(line, { messages: [message] })), 503, beingRead)
  stalled.release()
  assert.deepEqual((await first).body, { received: 1 })
  assert.deepEqual([receiver.times(message.id), other.receiver.times(message.id)], [1, 0])
})

test('a claim without a known gateway is another’s from ten minutes on: 503 at 599 seconds, read at 600 (N-100, N-531, ND-76, T-65)', async () => {
  await using other = await fixture.another()
  const line = await fixture.newLine()
  const message = textOf('Left')
  const at = other.deployment.clock.now()
  await leaveClaim(line, message.id, at)
  for (const [seconds, status, times] of [
    [1, 503, 0],
    [599, 503, 0],
    [600, 200, 1],
    [601, 200, 1],
  ] as const) {
    other.deployment.clock.now = () => later(at, seconds * secondMs)
    assert.equal((await other.deliver(line, { messages: [message] })).status, status, `at ${seconds} seconds`)
    assert.equal(other.receiver.times(message.id), times)
  }
})

test('of several that come for a dead reader’s claim at the same time one takes it over (N-100, N-531, ND-76, T-65)', async () => {
  await using other = await fixture.another()
  const line = await fixture.newLine()
  const message = textOf('Left')
  await leaveClaim(line, message.id, ago(11 * minuteMs))
  using here = stall()
  using there = stall(other.receiver)
  const refusals: Answer[] = []
  const deliveries = Array.from({ length: 10 }, async (_, at) => {
    const answer = await (at % 2 ? fixture : other).deliver(line, { messages: [message] })
    refusals.push(answer)
  })
  await until('all but the one that reads are answered', () => refusals.length === 9)
  for (const answer of refusals) refused(answer, 503, beingRead)
  here.release()
  there.release()
  await Promise.all(deliveries)
  assert.deepEqual(refusals.at(-1)?.body, { received: 1 })
  assert.equal(receiver.times(message.id) + other.receiver.times(message.id), 1)
})

test('a reader that was taken for dead and was only slow puts nothing: its claim is another’s (ND-76)', async () => {
  await using other = await fixture.another()
  const line = await fixture.newLine()
  const message = textOf('Once')
  using stalled = stall()
  const slow = fixture.deliver(line, { messages: [message] })
  await stalled.begins()
  other.deployment.clock.forward(11 * minuteMs)
  assert.deepEqual((await other.deliver(line, { messages: [message] })).body, { received: 1 })
  stalled.release()
  refused(await slow, 503, beingRead)
  assert.deepEqual([receiver.times(message.id), other.receiver.times(message.id)], [0, 1])
  assert.deepEqual(await fixture.claims(line), [{ message_id: message.id, is_read: true }])
})

test('one that was taken for dead and then fails leaves the claim to the one that took it over (ND-76)', async () => {
  await using other = await fixture.another()
  const line = await fixture.newLine()
  const message = textOf('Once')
  using stalled = stall(receiver, new Error('broken'))
  using second = stall(other.receiver)
  const slow = fixture.deliver(line, { messages: [message] })
  await stalled.begins()
  other.deployment.clock.forward(11 * minuteMs)
  const taken = other.deliver(line, { messages: [message] })
  await second.begins()
  stalled.release()
  refused(await slow, 500, notRead)
  assert.deepEqual(await fixture.claims(line), [{ message_id: message.id, is_read: false }])
  second.release()
  assert.deepEqual((await taken).body, { received: 1 })
})

test('all messages of a delivery are tried in order: what was read stays, and the repeat reads the rest (ND-74, T-64)', async () => {
  const line = await fixture.newLine()
  const messages = [textOf('one'), textOf('two'), textOf('three')]
  const [, two] = messages
  receiver.before = ({ messageId }) => {
    if (messageId === two?.id) throw new Error('broken')
  }
  refused(await fixture.deliver(line, { messages }), 500, notRead)
  receiver.before = () => {}
  assert.deepEqual((await fixture.deliver(line, { messages })).body, { received: 1 })
  assert.deepEqual((await fixture.deliver(line, { messages })).body, { received: 0 })
  const taken = receiver.received.filter(({ org }) => org === line.org.id).map(({ text }) => text)
  assert.deepEqual(taken, ['one', 'three', 'two'])
})

test('a failed reading counts before one that is being read elsewhere, and that before what was read (ND-74)', async () => {
  const line = await fixture.newLine()
  const [good, held, bad] = [textOf('good'), textOf('held'), textOf('bad')]
  await leaveClaim(line, held.id, ago(0))
  receiver.before = ({ messageId }) => {
    if (messageId === bad.id) throw new Error('broken')
  }
  refused(await fixture.deliver(line, { messages: [good, held] }), 503, beingRead)
  refused(await fixture.deliver(line, { messages: [held, bad] }), 500, notRead)
  receiver.before = () => {}
  assert.equal(receiver.times(good.id), 1)
})

test('the nightly run forgets claims of more than seven days, and such a message is read again (N-101, N-530, ND-86)', async () => {
  await deployment.sql('delete from message_claims')
  const line = await fixture.newLine()
  const [old, young, left] = [textOf('Old'), textOf('Young'), textOf('Left')]
  await fixture.deliver(line, { messages: [old] })
  await deployment.sql(`update message_claims set claimed_at = $1`, [ago(7 * dayMs + secondMs)])
  await leaveClaim(line, left.id, ago(8 * dayMs))
  await leaveClaim(line, young.id, ago(7 * dayMs - minuteMs))
  const run = await deployment.operator.post('/v1/ops/retention')
  assert.deepEqual([run.status, run.body.claims], [200, 2])
  assert.deepEqual(await fixture.claims(line), [{ message_id: young.id, is_read: false }])
  assert.deepEqual((await fixture.deliver(line, { messages: [old] })).body, { received: 1 })
  assert.equal(receiver.times(old.id), 2)
})

test('however many claims are old, one run forgets them all, and it stops when the gateway does (ND-86)', async () => {
  await deployment.sql('delete from message_claims')
  const line = await fixture.newLine()
  const claimed = ago(8 * dayMs)
  const many = () =>
    deployment.sql(
      `insert into message_claims (org, message_id, claimed_at, read_at)
       select $1, 'many ' || n, $2, $2 from generate_series(1, 12000) as n`,
      [line.org.id, claimed],
    )
  const { messageClaims } = deployment.gateway.services
  await many()
  assert.equal(await messageClaims.forget(AbortSignal.abort()), 0)
  assert.equal(await messageClaims.forget(new AbortController().signal), 12000)
  await many()
  await using other = await fixture.another()
  const gone = await Promise.all(
    [messageClaims, other.deployment.gateway.services.messageClaims].map((claims) =>
      claims.forget(new AbortController().signal),
    ),
  )
  assert.equal(Number(gone[0]) + Number(gone[1]), 12000)
})
