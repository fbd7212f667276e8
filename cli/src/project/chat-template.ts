import { noCall, type Template } from './template.ts'

export const chatTemplate: Template = {
  summary: 'answers in writing: on your site and on the messaging channel',
  agent: (name) => `import { Agent, tool, Type } from '@switchroom/sdk'

/** Replace it by your own system. */
export const orders = new Map([
  ['A-1001', { state: 'on its way', arrives: 'tomorrow' }],
  ['A-1002', { state: 'delivered', arrives: 'yesterday' }],
])

export const order = tool({
  name: 'order',
  description: 'Looks up an order by its number',
  parameters: Type.Object({ number: Type.String({ pattern: '^A-[0-9]{4}$', description: 'such as A-1001' }) }),
  run({ number }) {
    const found = orders.get(number)
    if (!found) throw new Error(\`there is no order \${number}\`)
    return found
  },
})

export const agent = new Agent({
  name: '${name}',
  prompt: 'You answer customers of a shop in writing, in one or two sentences. Look orders up; never guess.',
  tools: [order],
  preparing: { timeoutMs: 500 },
  settings: { greeting: { say: 'Hello! How can I help?' } },
})

// Before each turn the model reads what you return here.
agent.on('call.preparing', () => ({ context: \`It is \${new Date().toUTCString()}.\` }))
agent.on('user.message', (event, call) => console.log(call.id, event.text))
agent.on('call.ended', (call, reason) => console.log(call.id, 'ended:', reason))
`,
  test: (name) => `import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Call } from '@switchroom/sdk'
import { agent, order } from './agent.js'

${noCall}

test('${name} knows an order by its number', async () => {
  assert.deepEqual(await order.perform('{"number":"A-1001"}', noCall), { state: 'on its way', arrives: 'tomorrow' })
})

test('${name} says that an order does not exist, and takes nothing that is no order number', async () => {
  await assert.rejects(order.perform('{"number":"A-9999"}', noCall), /there is no order A-9999/)
  await assert.rejects(order.perform('{"number":"mine"}', noCall), /the arguments do not fit/)
})

test('${name} is called ${name}', () => assert.equal(agent.name, '${name}'))
`,
}
