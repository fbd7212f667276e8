import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { done } from '@switchroom/gateway/testing/agents/test-agents'
import { until } from '@switchroom/gateway/testing/until'
import { receiverHost, startWebhookDeployment } from '@switchroom/gateway/testing/webhooks/webhook-deployment'
import { verified } from '@switchroom/gateway/testing/webhooks/webhook-receiver'
import { Machine } from '../../testing/terminal.ts'

const webhooks = await startWebhookDeployment()
after(() => webhooks[Symbol.asyncDispose]())
const { deployment, receiver } = webhooks

test('a webhook is created, tested, looked into, sent again, rotated, paused and deleted', async (t) => {
  const { key, client } = await (await deployment.newOrg()).person('admin')
  const machine = Machine.of(t, { SVC_GATEWAY_URL: deployment.url, SVC_KEY: key })
  const run = async (...typed: string[]) => {
    const { status, stdout, stderr } = await machine.run(['webhooks', ...typed])
    assert.equal(status, 0, stderr)
    return stdout
  }
  const none = await machine.run(['webhooks'])
  assert.deepEqual([none.status, none.stderr], [0, 'No webhooks. Create one with svc webhooks create.\n'])
  const url = receiver.at(receiverHost, '/svc')
  const made = await run('create', url, '--types', 'call.ended, number.*', '--agents', 'desk')
  const [, id = '', secret = ''] =
    /^Created (whk_\w+)\. Its signing secret, which is not shown again:\n(whsec_\S+)\n$/.exec(made) ?? []
  assert.ok(secret, made)
  assert.match(
    await run(),
    new RegExp(`^${id}\\t${url}\\tactive\\tcall\\.ended,number\\.routed,.*\\tdesk\\t$`, 'm'),
  )
  assert.deepEqual(await machine.json(['webhooks']), done(await client.get('/v1/webhooks')))
  assert.match(await run('events'), /^call\.ended\ta call ended/m)

  const tested = await run('test', id)
  const [, event = ''] = /^(evt_\w+) is sent within seconds/.exec(tested) ?? []
  const [came] = await receiver.events('/svc')
  assert.ok(came)
  verified(secret, came)
  await until('it is delivered', async () => (await run('deliveries', id)).includes('delivered'))
  assert.match(
    await run('deliveries', id, '--state', 'delivered'),
    new RegExp(`^${event}\\twebhook\\.test\\t`, 'm'),
  )
  assert.match(await run('delivery', id, event), /^webhook\.test: delivered\n.*  204  \d+ ms/)
  assert.equal(await run('redeliver', id, event), `${event} is sent again.\n`)
  assert.equal((await receiver.events('/svc', 2)).at(-1)?.id, event)
  assert.equal(await run('redeliver', id), '0 events are sent again.\n')

  assert.equal(await run('change', id, '--types', 'all', '--agents', 'all'), `Changed ${id}.\n`)
  assert.match(await run('rotate', id, '--older-for', '60'), /^The older secret signs until .*\nwhsec_/)
  assert.equal(await run('pause', id), `Paused ${id}.\n`)
  assert.match(await run(), /\tpaused\tall\tall\t/)
  const refused = await machine.run(['webhooks', 'test', id])
  assert.deepEqual([refused.status, refused.stderr], [1, `svc: webhook ${id} is paused: resume it first\n`])
  assert.equal(await run('resume', id), `Resumed ${id}.\n`)
  assert.equal(await run('delete', id), `Deleted ${id}.\n`)
})
