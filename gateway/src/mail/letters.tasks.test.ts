import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Deployment } from '../../testing/deployment.ts'
import { mailboxAt, platformHost, startMailDeployment } from '../../testing/mail/mail-deployment.ts'
import { until } from '../../testing/until.ts'
import { later, minuteMs, secondMs } from '../foundation/clock.ts'

const queue = ({ gateway, clock }: Deployment, ...addresses: string[]) =>
  gateway.services.database.transaction(async (tx) => {
    const expiresAt = later(clock.now(), 60 * minuteMs)
    for (const to of addresses)
      await gateway.services.letters.queue(tx, {
        by: 'platform',
        askedBy: 'recipient',
        to,
        expiresAt,
        kind: 'have-account',
      })
  })

test('two gateways on one database send a hundred letters, each exactly once (ID-162)', async () => {
  await using mail = await startMailDeployment()
  const { deployment, mailServer } = mail
  const server = await mailServer()
  await deployment.operator.put('/v1/ops/mail', mailboxAt(server, platformHost))
  await using second = await deployment.another()
  const addresses = Array.from({ length: 100 }, (_, n) => `guest-${n}@example.com`)
  await Promise.all([queue(deployment, ...addresses.slice(0, 50)), queue(second, ...addresses.slice(50))])
  const isEmpty = async () => (await deployment.sql('select from letters')).rowCount === 0
  await until('no letter waits', isEmpty, minuteMs)
  const recipients = server.letters().map(({ envelope }) => envelope.to.join())
  assert.deepEqual(recipients.toSorted(), addresses.toSorted())
})

test('a gateway asked to stop waits for its letters only so long, and another sends them (ID-162)', async () => {
  await using mail = await startMailDeployment()
  const { deployment, mailServer } = mail
  const server = await mailServer()
  server.behave('hang')
  await deployment.operator.put('/v1/ops/mail', mailboxAt(server, platformHost))
  await queue(deployment, 'ana@example.com')
  await until('it is being sent', () => server.tries() === 1)
  const askedAt = Date.now()
  await deployment.gateway.services.letterTasks.stop(100)
  assert.ok(Date.now() - askedAt < 5 * secondMs)
  const { rows } = await deployment.sql('select tries from letters')
  assert.deepEqual(rows, [{ tries: 1 }])

  server.behave('accept')
  await using second = await deployment.another()
  second.clock.forward(30 * secondMs)
  assert.deepEqual((await server.nextLetter()).envelope.to, ['ana@example.com'])
})

test('a gateway that stops finishes the letter it is sending (ID-162)', async () => {
  await using mail = await startMailDeployment()
  const { deployment, mailServer } = mail
  const server = await mailServer()
  await deployment.operator.put('/v1/ops/mail', mailboxAt(server, platformHost))
  await queue(deployment, ...Array.from({ length: 5 }, (_, n) => `guest-${n}@example.com`))
  await until('one is being sent', () => server.tries() > 0)
  await deployment.gateway.services.letterTasks.stop(10 * secondMs)
  const { rows } = await deployment.sql('select tries from letters where tries > 0')
  assert.deepEqual(rows, [])
  assert.ok(server.letters().length > 0)
})
