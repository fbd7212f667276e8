import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ends, range } from '../../../testing/calls/test-logs.ts'
import { GatewayProcess } from '../../../testing/gateway-process.ts'
import { until } from '../../../testing/until.ts'
import { startWebhookDeployment } from '../../../testing/webhooks/webhook-deployment.ts'
import { verified, type ReceivedEvent } from '../../../testing/webhooks/webhook-receiver.ts'

const webhooks = await startWebhookDeployment()
after(() => webhooks[Symbol.asyncDispose]())
const { deployment, receiver, settings } = webhooks
const { webhookTasks } = deployment.gateway.services
const calls = 12

test('gateways that are killed while they send lose no event; one that comes twice has the same id, and every call’s come in order', async () => {
  const { org, logs, create } = await webhooks.newOrg()
  const { secret } = await create('/killed')
  await deployment.gateway.services.tasks.stop(webhookTasks.task) // this gateway writes events, the others send them
  const held: (() => void)[] = []
  let isHolding = true
  receiver.reply = async () => {
    if (isHolding) await new Promise<void>((release) => held.push(release))
    return {}
  }
  const came = (): ReceivedEvent[] => receiver.received.filter(({ path }) => path === '/killed')
  const first = await GatewayProcess.start(deployment, settings)
  const second = await GatewayProcess.start(deployment, settings)
  try {
    for (const _ of range(1, calls))
      await logs.write(await logs.open(), [{ type: 'chat.started', data: {} }, ends])
    await until('both send as many as they may', () => came().length >= 10)
    assert.equal(new Set(came().map(({ id }) => id)).size, came().length) // both took from one queue
    await first.kill() // its receiver has them, and nobody wrote that down
    isHolding = false
    for (const release of held.splice(0)) release()
    await until('the other goes on', () => came().length >= 14)
    await second.kill()
    await using third = await GatewayProcess.start(deployment, settings)
    const pending = async () =>
      (
        await deployment.sql(
          `select from webhook_deliveries d join webhook_events v on v.id = d.event where org = $1 and state <> 'delivered'`,
          [org.id],
        )
      ).rows.length
    await until('everything is delivered', async () => (await pending()) === 0, 120_000)
    assert.ok(third.url)
  } finally {
    await first.kill()
    await second.kill()
  }

  const ids = new Map<string, Set<string>>()
  for (const { id, body } of came()) {
    const name = `${body.call} ${body.type}`
    ids.set(name, (ids.get(name) ?? new Set()).add(id))
  }
  assert.equal(ids.size, calls * 2)
  for (const [name, each] of ids) assert.equal(each.size, 1, name)
  assert.ok(came().length > calls * 2, 'those that the killed gateway had sent came twice')
  const ofCall = Map.groupBy(came(), ({ body }) => body.call as string)
  for (const [call, events] of ofCall) {
    const firstEnd = events.findIndex(({ body }) => body.type === 'call.ended')
    assert.ok(firstEnd > 0, call)
    assert.ok(
      events.slice(firstEnd).every(({ body }) => body.type === 'call.ended'),
      call,
    )
  }
  for (const event of came()) verified(secret, event)
})
