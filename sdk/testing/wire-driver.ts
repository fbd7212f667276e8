import { createInterface } from 'node:readline'
import type { Call } from '../src/call.ts'
import { Agent, connect, followCall, openChat, PhoneLine, SwitchroomError, tool } from '../src/sdk.ts'
import type { Chat, Switchroom } from '../src/sdk.ts'

// Does with this SDK what e2e/src/wire/wire-driver.ts asks; python/testing/wire_driver.py does the same with the other.

// oxlint-disable-next-line typescript/no-explicit-any
type Asked = any

const apps = new Map<string, Switchroom>()
const agents = new Map<string, Agent>()
const lines = new Map<string, PhoneLine>()
const chats = new Map<string, Chat>()
const calls = new Map<string, Call>()
const gates = new Map<string, PromiseWithResolvers<unknown>>()

/** Readers of lines also break them at these two. */
const lineOf = (report: object) =>
  JSON.stringify(report).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
const tell = (report: object) => void process.stdout.write(`${lineOf(report)}\n`)

const eventNames = [
  'chat.started',
  'call.passed',
  'call.started',
  'call.ended',
  'user.message',
  'agent.message',
  'callback.requested',
  'call.error',
  'llm.toolCall',
] as const

/** A tool that reports each run, and does what the test says. */
const toolOf = ({ name, parameters, returns, raises, repeats, waits }: Asked) =>
  tool({
    name,
    description: `the tool ${name}`,
    parameters: parameters ?? { type: 'object' },
    async run(args, call) {
      tell({ event: 'tool', name, arguments: args, call: call.id })
      if (raises !== undefined) throw new Error(raises)
      if (repeats) return String(repeats.text).repeat(repeats.times)
      if (!waits) return returns
      const gate = Promise.withResolvers<unknown>()
      gates.set(waits, gate)
      return gate.promise
    },
  })

function agentOf({ agent: name, tools = [], ...options }: Asked): Agent {
  const agent = new Agent({ ...options, name, tools: tools.map(toolOf) })
  agent.on('ready', () => tell({ event: 'ready', agent: name }))
  agent.on('error', ({ code, detail }) => tell({ event: 'error', agent: name, code, detail }))
  for (const event of eventNames)
    agent.on(event, (...given: unknown[]) => {
      const call = given.find(
        (each) => typeof each === 'object' && each !== null && 'botText' in each,
      ) as Call
      calls.set(call.id, call)
      const [first] = given
      const data = first === call ? { ...(given.length > 1 && { reason: given[1] }) } : first
      tell({ event, agent: name, call: call.id, from: call.from, transport: call.transport, data })
    })
  agent.on('call.preparing', (call, { turn }) => {
    tell({ event: 'call.preparing', agent: name, call: call.id, turn })
    return options.preparing ? { context: `turn ${turn}` } : undefined
  })
  agents.set(name, agent)
  return agent
}

const found = <Value>(map: Map<string, Value>, name: string): Value => {
  const value = map.get(name)
  if (value === undefined) throw new Error(`the driver knows no ${name}`)
  return value
}

const doing: Record<string, (asked: Asked) => unknown> = {
  connect({ app, url, key, name }) {
    const switchroom = connect({ url, key, ...(name && { app: name }) })
    switchroom.on('connected', () => tell({ event: 'connected', app }))
    switchroom.on('disconnected', (reason) => tell({ event: 'disconnected', app, reason }))
    switchroom.on('error', ({ code, detail }) => tell({ event: 'error', app, code, detail }))
    apps.set(app, switchroom)
  },
  hold: ({ app, ...agent }) => found(apps, app).hold(agentOf(agent)),
  holdLine({ app, number, agent }) {
    const line = new PhoneLine({ number })
    lines.set(number, line)
    line.on('error', ({ code, detail }) => tell({ event: 'error', line: number, code, detail }))
    line.on('call', async (call) => {
      tell({ event: 'line.call', line: number, call: call.id, extension: call.extension })
      tell({ event: 'line.outcome', line: number, ...(await line.route(call, agent)) })
    })
    return found(apps, app).hold(line)
  },
  release: ({ app, agent }) => found(apps, app).release(found(agents, agent)),
  state: ({ agent }) => found(agents, agent).state,
  close: ({ app }) => found(apps, app).close(),
  open: ({ gate, value }) => found(gates, gate).resolve(value),
  say: ({ call, text }) => found(calls, call).say(text),
  end: ({ call }) => found(calls, call).end(),
  callback: ({ call, number, when, note }) => found(calls, call).callback(number, { when, note }),
  optOut: ({ call }) => found(calls, call).optOut(),
  transfer({ call, to, kind }) {
    void found(calls, call).transfer(to, { kind })
  },
  sendTones: ({ call, digits }) => found(calls, call).sendTones(digits),
  history: async ({ call }) =>
    (await found(calls, call).history()).map(({ who, text, role }) => ({ who, text, role })),
  entries: async ({ call }) => (await found(calls, call).entries()).map(({ seq, type }) => ({ seq, type })),
  async follow({ call, url, key, after }) {
    const seqs: number[] = []
    for await (const { seq } of followCall({ call, url, key, ...(after && { after }) })) {
      seqs.push(seq)
      tell({ event: 'followed', call, seq })
    }
    return seqs
  },
  openChat({ chat, url, key, agent, contact }) {
    const opened = openChat({ url, key, agent, ...(contact && { contact }) })
    chats.set(chat, opened)
    opened.on('message', ({ text, seq }) => tell({ event: 'chat.message', chat, text, seq }))
    opened.on('ended', (reason) => tell({ event: 'chat.ended', chat, reason }))
    opened.on('error', ({ code, detail }) => tell({ event: 'error', chat, code, detail }))
    return opened.started
  },
  send: async ({ chat, text }) => (await found(chats, chat).send(text)).seq,
  endChat: ({ chat }) => found(chats, chat).end(),
}

async function act({ id, do: name, ...asked }: Asked): Promise<void> {
  try {
    const value = await found(new Map(Object.entries(doing)), name)(asked)
    tell({ id, value: value ?? null })
  } catch (error) {
    const isOurs = error instanceof SwitchroomError
    tell({ id, error: { code: isOurs ? error.code : 'OTHER', detail: (error as Error).message } })
  }
}

createInterface({ input: process.stdin }).on('line', (line) => void act(JSON.parse(line)))
