import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { AppClient } from '../../../testing/agents/app-client.ts'
import { ChatClient } from '../../../testing/calls/chat-client.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { GatewayProcess } from '../../../testing/gateway-process.ts'
import { changeRow } from '../../../testing/providers/vendors.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
await changeRow(deployment, (row) => {
  row.defaults.llm = 'local/demonstration'
  row.fallbacks.llm = []
})
const gateway = await GatewayProcess.start(deployment, {})
after(() => gateway.kill())
const org = await deployment.newOrg()
const { key } = await org.serverToken('sandbox')

/** Parameter names that made expressions of many overlapping repetitions. */
const names = ['_ _ _ _ _ _ _ _', '_a', 'a_ _ _ _b', '- -- - -- -', `${'a_'.repeat(500)}b`]
const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
const tools = [{ name: 'book_table', description: 'Books', parameters: { type: 'object', properties } }]

const messages = [
  `book table ${' '.repeat(7000)}x`,
  `book table ${'a '.repeat(3900)}`,
  `book table ${'_'.repeat(7900)}`,
  `book table a${' - '.repeat(2600)}`,
]

test('a chat message that names hostile parameters is answered at once, and others are answered meanwhile', async () => {
  const app = await AppClient.connect(gateway.url, key)
  const registered = await app.register('desk', { tools })
  assert.equal(registered.type, 'agent.registered', JSON.stringify(registered))
  for (const text of messages) {
    const client = await ChatClient.connect(gateway.url, key, { agent: 'desk' })
    await client.next('started')
    const reading = { isOver: false }
    const answered = app.nextOf('llm.toolCall').finally(() => (reading.isOver = true))
    client.say(text)
    do {
      // another's request, for as long as the message is read
      const { status } = await fetch(`${gateway.url}/healthz`, { signal: AbortSignal.timeout(5000) })
      assert.equal(status, 200)
    } while (!reading.isOver)
    await answered
    client.socket.terminate()
  }
})
