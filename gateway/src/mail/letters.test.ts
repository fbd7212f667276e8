import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import type { Deployment } from '../../testing/deployment.ts'
import { mailboxAt, orgHost, platformHost, startMailDeployment } from '../../testing/mail/mail-deployment.ts'
import { until } from '../../testing/until.ts'
import { later, minuteMs, secondMs } from '../foundation/clock.ts'
import type { QueuedLetter } from './letters.ts'

const mail = await startMailDeployment()
after(() => mail[Symbol.asyncDispose]())
const { deployment, mailServer } = mail
const { operator, clock, sql } = deployment
const token = 'secret-token-of-the-link'

type Wanted = Partial<Pick<QueuedLetter, 'by' | 'to' | 'expiresAt'>>

const letterWith = ({ by = 'platform', to = 'ana@example.com', expiresAt }: Wanted): QueuedLetter => ({
  by,
  askedBy: 'recipient',
  to,
  expiresAt: expiresAt ?? later(clock.now(), 60 * minuteMs),
  kind: 'invitation',
  name: 'Ana',
  orgName: 'Acme',
  link: `https://switchroom.test/invitations/${token}`,
})

const queue = ({ gateway }: Deployment, ...wanted: Wanted[]) =>
  gateway.services.database.transaction(async (tx) => {
    for (const each of wanted) await gateway.services.letters.queue(tx, letterWith(each))
  })

const waiting = async () =>
  (await sql(`select owner, letter, tries, due_at from letters order by due_at`)).rows as {
    owner: string
    letter: Buffer
    tries: number
    due_at: string
  }[]

const allSent = () => until('no letter waits', async () => (await waiting()).length === 0)
const tried = (times: number) =>
  until(`a letter was tried ${times} times`, async () =>
    (await waiting()).some(({ tries }) => tries === times),
  )
const dueInMs = async () => Date.parse((await waiting())[0]?.due_at ?? '') - clock.now().getTime()

beforeEach(async () => {
  await sql('delete from letters')
  await operator.delete('/v1/ops/mail')
})

test('a letter is sealed while it waits, is sent once its transaction is kept, and is then forgotten (ID-29, ID-162, ID-165, T-91)', async () => {
  const server = await mailServer()
  await operator.put('/v1/ops/mail', mailboxAt(server, platformHost))
  server.behave('refuse')
  await queue(deployment, {})
  await tried(1)
  const [row] = await waiting()
  for (const secret of [token, 'ana@example.com', 'Acme']) assert.equal(row?.letter.includes(secret), false)

  server.behave('accept')
  clock.forward(30 * secondMs)
  const letter = await server.nextLetter()
  assert.equal(letter.headers['subject'], 'Switchroom: you are invited to Acme')
  assert.match(letter.headers['content-type'] ?? '', /^multipart\/alternative/)
  const link = `https://switchroom.test/invitations/${token}`
  assert.ok(letter.text.includes(`\n\n${link}\n\n`))
  assert.ok(letter.html.includes(`href="${link}"`))
  await allSent()
  assert.equal(deployment.log().includes(token), false)
})

test('a transaction that is not kept sends nothing (ID-162)', async () => {
  const server = await mailServer()
  await operator.put('/v1/ops/mail', mailboxAt(server, platformHost))
  const { database, letters } = deployment.gateway.services
  await assert.rejects(
    database.transaction(async (tx) => {
      await letters.queue(tx, letterWith({}))
      throw new Error('changed my mind')
    }),
  )
  assert.deepEqual(await waiting(), [])
  await queue(deployment, { to: 'second@example.com' })
  assert.deepEqual((await server.nextLetter()).envelope.to, ['second@example.com'])
  assert.equal(server.letters().length, 1)
})

test('a letter is tried at once, after 30 seconds and after 5 minutes, then dropped; the mailbox says why (I-127, ID-162, ID-163, T-87)', async () => {
  const server = await mailServer()
  server.behave('refuse')
  await operator.put('/v1/ops/mail', mailboxAt(server, platformHost))
  await queue(deployment, {})
  await tried(1)
  const { last_error } = (await operator.get('/v1/ops/mail')).body
  assert.equal(last_error, `${platformHost} refused the letter with 550 5.7.1`)
  const first = await dueInMs()
  assert.ok(first > 25 * secondMs && first <= 30 * secondMs, `due in ${first} ms`)
  clock.forward(30 * secondMs)
  await tried(2)
  const second = await dueInMs()
  assert.ok(second > 295 * secondMs && second <= 300 * secondMs, `due in ${second} ms`)
  clock.forward(5 * minuteMs)
  await allSent()
  assert.equal(server.tries(), 3)
  assert.match(deployment.log(), /"owner":"platform","reason":"[^"]+550 5.7.1","msg":"dropped a letter"/)
})

test('a letter past the life of its link is dropped and not sent (ID-162)', async () => {
  const server = await mailServer()
  server.behave('refuse')
  await operator.put('/v1/ops/mail', mailboxAt(server, platformHost))
  await queue(deployment, { expiresAt: later(clock.now(), 20 * secondMs) })
  await tried(1)
  server.behave('accept')
  clock.forward(30 * secondMs)
  await allSent()
  assert.deepEqual([server.tries(), server.letters()], [1, []])
})

test('a letter that was lost with its gateway is sent by another half a minute later (ID-162)', async () => {
  const server = await mailServer()
  await operator.put('/v1/ops/mail', mailboxAt(server, platformHost))
  const { database, letters } = deployment.gateway.services
  await database.transaction(async (tx) => {
    await letters.queue(tx, letterWith({}))
    await tx.rows(
      { name: 'taken', text: 'update letters set due_at = $1' },
      later(clock.now(), 30 * secondMs),
    )
  })
  clock.forward(30 * secondMs)
  await server.nextLetter()
  await allSent()
})

test("an org's letter goes by its own mailbox, the platform's never does (I-410, I-419, I-420, ID-76, ID-160, T-33)", async () => {
  const [own, stored] = [await mailServer(), await mailServer()]
  const org = await deployment.newOrg()
  const { client } = await org.person('admin')
  await client.put('/v1/org/mail', mailboxAt(own, orgHost))
  await operator.put('/v1/ops/mail', mailboxAt(stored, platformHost))
  await queue(
    deployment,
    { by: { org: org.id }, to: 'by-org@example.com' },
    { to: 'by-platform@example.com' },
  )
  assert.deepEqual((await own.nextLetter()).envelope.to, ['by-org@example.com'])
  assert.deepEqual((await stored.nextLetter()).envelope.to, ['by-platform@example.com'])
  await allSent()
  await client.delete('/v1/org/mail')
  await queue(deployment, { by: { org: org.id }, to: 'back@example.com' })
  assert.deepEqual((await stored.nextLetter()).envelope.to, ['back@example.com'])
  await allSent()
  assert.deepEqual([own.letters().length, stored.letters().length], [1, 2])
})

test('a server that hangs holds up the letters of its own org alone (ID-162)', async () => {
  const [slow, stored] = [await mailServer(), await mailServer()]
  slow.behave('hang')
  const org = await deployment.newOrg()
  const { client } = await org.person('admin')
  await client.put('/v1/org/mail', mailboxAt(slow, orgHost))
  await operator.put('/v1/ops/mail', mailboxAt(stored, platformHost))
  await queue(deployment, ...Array.from({ length: 30 }, () => ({ by: { org: org.id } })))
  await until('the slow server is busy', () => slow.tries() === 5)
  await queue(deployment, {})
  await stored.nextLetter(5 * secondMs)
  assert.equal(slow.tries(), 5)
})

test('letters are sent again when the database is back (ID-162)', async () => {
  const server = await mailServer()
  await operator.put('/v1/ops/mail', mailboxAt(server, platformHost))
  await deployment.database.takeAway()
  await until('it noticed', () => deployment.log().includes('letters wait: the queue does not answer'))
  await deployment.database.giveBack()
  await until('it answers', async () => (await operator.get('/v1/ops/mail')).status === 200)
  await queue(deployment, {})
  await server.nextLetter()
})
