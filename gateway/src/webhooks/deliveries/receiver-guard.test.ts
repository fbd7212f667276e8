import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { done } from '../../../testing/agents/test-agents.ts'
import { makeCertificates } from '../../../testing/certificates.ts'
import { until } from '../../../testing/until.ts'
import { receiverHost, startWebhookDeployment } from '../../../testing/webhooks/webhook-deployment.ts'
import { verified, WebhookReceiver } from '../../../testing/webhooks/webhook-receiver.ts'

const certificates = await makeCertificates()
const webhooks = await startWebhookDeployment({ SVC_CA_FILE: certificates.caFile })
after(async () => {
  await webhooks[Symbol.asyncDispose]()
  await certificates[Symbol.asyncDispose]()
})
const { dns, receiver } = webhooks
const { admin } = await webhooks.newOrg()
const at = '/v1/webhooks'

/** What became of a test event to this address. */
async function tried(url: string) {
  const { id, secret } = done(await admin.post(at, { url }))
  const { event } = done(await admin.post(`${at}/${id}/test`))
  const detail = await until('it was attempted', async () => {
    const found = done(await admin.get(`${at}/${id}/deliveries/${event}`))
    // an attempt is recorded just before what follows from it
    return found.tries.length > 0 && (found.tries[0].error !== null || found.state !== 'pending') && found
  })
  done(await admin.delete(`${at}/${id}`))
  return { secret, event, state: detail.state as string, ...detail.tries[0] }
}

test('no redirect is followed: it counts as a failure that names the status', async () => {
  receiver.reply = ({ path }) =>
    path === '/from' ? { status: 307, headers: { location: receiver.at(receiverHost, '/to') } } : {}
  const { state, status, error } = await tried(receiver.at(receiverHost, '/from'))
  assert.deepEqual(
    [state, status, error],
    ['pending', 307, 'it answered 307, and no redirect is followed: enter the address it leads to'],
  )
  assert.ok(!receiver.received.some(({ path }) => path === '/to'))
})

test('a name that was public when it was entered and resolves to a private address by then is not connected to', async () => {
  dns.set('rebound.example', { A: ['93.184.216.34'] })
  const url = receiver.at('rebound.example').replace('http:', 'https:')
  const { id } = done(await admin.post(at, { url }))
  dns.set('rebound.example', { A: ['127.0.0.1'] })
  const { event } = done(await admin.post(`${at}/${id}/test`))
  const detail = await until('it was attempted', async () => {
    const found = done(await admin.get(`${at}/${id}/deliveries/${event}`))
    // an attempt is recorded just before what follows from it
    return found.tries.length > 0 && (found.tries[0].error !== null || found.state !== 'pending') && found
  })
  assert.equal(detail.tries[0].error, 'rebound.example resolves to an address that is not public')
})

test('over https the certificate must be of the name, by a root that the deployment trusts', async () => {
  await using named = await WebhookReceiver.start(await certificates.serverFor(receiverHost))
  await using other = await WebhookReceiver.start(await certificates.serverFor('other.example'))
  const whole = await tried(named.at(receiverHost, '/tls'))
  assert.deepEqual([whole.state, whole.status], ['delivered', 204])
  const [event] = await named.events('/tls')
  assert.ok(event)
  verified(whole.secret, event)
  const wrong = await tried(other.at(receiverHost))
  assert.match(wrong.error, /^Hostname\/IP does not match certificate's altnames/)
  assert.equal(other.received.length, 0)
})

test('an answer of any length or of bytes that are no text is kept in its first 4096 bytes', async () => {
  receiver.reply = () => ({ status: 200, text: `\0${'a'.repeat(1_000_000)}` })
  const { state, answer } = await tried(receiver.at(receiverHost, '/long'))
  assert.deepEqual([state, answer], ['delivered', 'a'.repeat(4095)])
})

test('a receiver that is not there, or closes without an answer, is a failure in a sentence', async () => {
  const gone = await WebhookReceiver.start()
  const url = gone.at(receiverHost)
  await gone[Symbol.asyncDispose]()
  assert.match((await tried(url)).error, /ECONNREFUSED/)
})

test('a receiver that does not answer within ten seconds has failed, and holds up no other', async () => {
  receiver.reply = ({ path }) => ({ hangs: path === '/hanging' })
  const hanging = tried(receiver.at(receiverHost, '/hanging'))
  await receiver.events('/hanging')
  assert.equal((await tried(receiver.at(receiverHost, '/quick'))).state, 'delivered')
  assert.equal((await hanging).error, 'no answer within 10 seconds')
})
