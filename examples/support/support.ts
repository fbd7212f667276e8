// A support number: the line asks what the call is about and hands it to one of two agents, which know what the caller
// has said. NUMBER is a number of the org; SVC_URL is the gateway's address, SVC_KEY its key.
import { Agent, connect, PhoneLine, tool, Type, type Call } from '@switchroom/sdk'

const number = process.env['NUMBER']
if (!number) throw new Error('set NUMBER to the number of the org that people call, such as +34911111111')

const outages = new Map([['north', 'repaired by noon']])
const invoices = new Map([['2026-104', { amount: '48.20 EUR', state: 'paid' }]])

const technical = new Agent({
  name: 'technical',
  prompt: 'You help with technical problems, one step at a time.',
  tools: [
    tool({
      name: 'outage',
      description: 'Whether there is an outage in an area',
      parameters: Type.Object({ area: Type.String() }),
      run: ({ area }) => outages.get(area.toLowerCase()) ?? 'no outage is known there',
    }),
  ],
  preparing: { timeoutMs: 500 },
})

const billing = new Agent({
  name: 'billing',
  prompt: 'You answer questions about invoices. Look them up; never guess.',
  tools: [
    tool({
      name: 'invoice',
      description: 'An invoice by its number',
      parameters: Type.Object({ number: Type.String({ description: 'such as 2026-104' }) }),
      run({ number: wanted }) {
        const found = invoices.get(wanted)
        if (!found) throw new Error(`there is no invoice ${wanted}`)
        return found
      },
    }),
  ],
  preparing: { timeoutMs: 500 },
})

for (const agent of [technical, billing]) {
  agent.on('call.started', (call) => log(`${agent.name} has ${call.id}`))
  agent.on('call.preparing', (call) => ({ context: toldToLine(call) }))
  agent.on('call.ended', (call, reason) => log(`${call.id} ended: ${reason}`))
}

/** Nobody has to say it twice. */
function toldToLine({ lineTranscript }: Call): string {
  const said = lineTranscript.filter(({ who }) => who === 'caller').map(({ text }) => text)
  return said.length > 0 ? `The caller has already said: ${said.join(' ')}` : ''
}

const line = new PhoneLine({ number, extensionMs: 3000 })
line.on('call', async (call) => {
  // who dials 1 or 2 after the number needs no question
  if (call.extension === '1') await handOver(call, technical)
  else if (call.extension === '2') await handOver(call, billing)
  else call.say('Welcome. Is it about a technical problem or about an invoice?')
})
line.on('user.message', async ({ text }, call) => {
  if (/invoice|bill|payment|paid/i.test(text)) await handOver(call, billing)
  else if (/problem|broken|internet|not work|technical/i.test(text)) await handOver(call, technical)
  else call.say('I am sorry: a technical problem, or an invoice?')
})
line.on('error', ({ code, detail }) => log(`${code}: ${detail}`))

async function handOver(call: Call, agent: Agent): Promise<void> {
  const outcome = await line.route(call, agent)
  if (outcome.routed || outcome.reason === 'ended') return
  log(`${call.id} could not be handed to ${agent.name}: ${outcome.reason}`)
  if (call.from !== null) call.callback(call.from, { note: `wanted ${agent.name}` })
  call.say('Nobody can take your call now: we will call you back.')
}

const log = (text: string) => process.stdout.write(`${text}\n`)

const switchroom = connect({ app: 'support' })
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void switchroom.close().then(() => process.exit()))

await switchroom.hold(technical, billing, line)
log('support is there')
