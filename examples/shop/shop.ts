// A shop on the messaging channel: contacts read the catalogue, fill a basket and order. SVC_URL is the gateway's
// address, SVC_KEY its key; the org has a messaging number that leads to the agent `shop` (docs/messaging.md).
import { Agent, connect, tool, Type, type Call } from '@switchroom/sdk'
import { Baskets, catalogue } from './baskets.ts'

const baskets = new Baskets()
/** On the messaging channel a contact is their number; a chat on a page is the call itself. */
const contactOf = (call: Call) => call.from ?? call.id

const products = tool({
  name: 'catalogue',
  description: 'What there is to buy, with prices in EUR',
  run: () => Object.fromEntries(catalogue),
})

const add = tool({
  name: 'add',
  description: 'Puts a product into the basket',
  parameters: Type.Object({ product: Type.String(), pieces: Type.Integer({ minimum: 1, maximum: 50 }) }),
  run: ({ product, pieces }, call) => baskets.add(contactOf(call), product.toLowerCase(), pieces),
})

const order = tool({
  name: 'order',
  description: 'Orders what is in the basket, once the contact has agreed to the total',
  run(_nothing, call) {
    const { number, summary } = baskets.order(contactOf(call))
    log(`${contactOf(call)} ordered ${number}: ${summary}`)
    return `order ${number} of ${summary}; it can be collected in an hour`
  },
})

const agent = new Agent({
  name: 'shop',
  prompt: `You sell for a bakery in writing, in one or two sentences. Only what the catalogue has is for sale. Say the
total before you order, and order only when the contact agrees.`,
  tools: [products, add, order],
  preparing: { timeoutMs: 500 },
})

agent.on('msgapp.started', (_call, session) => log(`${session.contactName ?? session.contactPhone} writes`))
agent.on('call.preparing', (call) => ({ context: `In the basket: ${baskets.describe(contactOf(call))}.` }))

const log = (line: string) => process.stdout.write(`${line}\n`)

const switchroom = connect({ app: 'shop' })
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void switchroom.close().then(() => process.exit()))

await switchroom.hold(agent)
log('shop is there')
