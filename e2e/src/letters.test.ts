import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Database } from '@switchroom/gateway/database/database'
import { makeCertificates } from '@switchroom/gateway/testing/certificates'
import { migratedDatabase } from '@switchroom/gateway/testing/databases'
import { startMailServer } from '@switchroom/gateway/testing/mail/mail-server'
import { until } from '@switchroom/gateway/testing/until'
import { startedGateway, type GatewayProcess } from './gateway-process.ts'

const database = await migratedDatabase()
const letters = new Database(database.url, () => {})
const certificates = await makeCertificates()
const server = await startMailServer({
  security: 'starttls',
  certificate: await certificates.serverFor('127.0.0.1'),
})
const started: GatewayProcess[] = []
const start = async () => {
  const gateway = await startedGateway(database.url, { SVC_CA_FILE: certificates.caFile })
  started.push(gateway)
  return gateway
}
after(async () => {
  for (const { child } of started) child.kill('SIGKILL')
  await Promise.all(started.map(({ ended }) => ended))
  await server[Symbol.asyncDispose]()
  await certificates[Symbol.asyncDispose]()
  await letters.close()
  await database.drop()
})

test('a letter whose gateway is killed while sending it is sent by the next one (ID-162)', async () => {
  const gateway = await start()
  const mailbox = {
    host: '127.0.0.1',
    port: server.port,
    security: 'starttls',
    from: 'post@platform.example',
  }
  assert.equal((await gateway.send('PUT', '/v1/ops/mail', mailbox)).status, 200)
  await gateway.send('POST', '/v1/ops/orgs', { slug: 'acme' })

  server.behave('hang')
  const invited = await gateway.send('POST', '/v1/ops/orgs/acme/members', { email: 'ana@example.com' })
  assert.equal(((await invited.json()) as { mailed: boolean }).mailed, true)
  await until('it is being sent', () => server.tries() === 1)
  gateway.child.kill('SIGKILL')
  await gateway.ended

  server.behave('accept')
  await start()
  // It is taken for half a minute, which has passed now.
  await letters.pool.query(`update letters set due_at = due_at - interval '30 seconds'`)
  const letter = await server.nextLetter(20_000)
  assert.deepEqual(letter.envelope.to, ['ana@example.com'])
  assert.match(letter.text, /https:\/\/switchroom\.test\/invitations\/[\w-]{43}/)
  assert.equal(server.letters().length, 1)
})
