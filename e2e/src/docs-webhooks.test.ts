import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { webhookEventTypes } from '@switchroom/contract/webhook-names'
import { done } from '@switchroom/gateway/testing/agents/test-agents'
import { freePort } from '@switchroom/gateway/testing/ports'
import { until } from '@switchroom/gateway/testing/until'
import { receiverHost, startWebhookDeployment } from '@switchroom/gateway/testing/webhooks/webhook-deployment'

const webhooks = await startWebhookDeployment()
after(() => webhooks[Symbol.asyncDispose]())
const root = join(import.meta.dirname, '../..')
const page = await readFile(join(root, 'docs/webhooks.md'), 'utf8')

test('the receiver of docs/webhooks.md takes an event, and refuses one with another secret', async () => {
  const [, program = ''] = /```js\n(.*?)```/s.exec(page) ?? []
  const folder = await mkdtemp(join(tmpdir(), 'switchroom-receiver-'))
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  await writeFile(join(folder, 'receiver.mjs'), program)
  const { admin } = await webhooks.newOrg()
  const port = await freePort()
  const url = `http://${receiverHost}:${port}/hooks`
  const [first, second] = [
    done(await admin.post('/v1/webhooks', { url })),
    done(await admin.post('/v1/webhooks', { url })),
  ]
  const child = spawn(process.execPath, ['receiver.mjs'], {
    cwd: folder,
    env: { ...process.env, WEBHOOK_SECRET: first.secret, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.on('data', (text) => (said += String(text)))
  try {
    await until('it listens', () =>
      fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}' }).then(
        ({ status }) => status === 400,
        () => false,
      ),
    )
    const tried = async ({ id }: { id: string }) => {
      const { event } = done(await admin.post(`/v1/webhooks/${id}/test`))
      return until('it was attempted', async () => {
        const { tries } = done(await admin.get(`/v1/webhooks/${id}/deliveries/${event}`))
        return tries[0]?.status as number | undefined
      })
    }
    assert.equal(await tried(first), 204)
    assert.equal(await tried(second), 400)
    assert.equal(said, 'webhook.test \n')
  } finally {
    child.kill()
    await once(child, 'exit')
    await rm(folder, { recursive: true })
  }
})

test('docs/webhooks.md names every event type', () => {
  for (const type of webhookEventTypes) assert.ok(page.includes(`\`${type}\``), type)
})
