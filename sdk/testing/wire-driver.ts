import { createInterface } from 'node:readline'
import type { Call } from '../src/call.ts'
import {
  Agent,
  connect,
  DialClient,
  followCall,
  GatewayRefusal,
  ModelEndpoints,
  NumbersClient,
  openChat,
  PhoneLine,
  SwitchroomError,
  ThreadsClient,
  tool,
} from '../src/sdk.ts'
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
  'call.transferred',
  'llm.toolCall',
] as const

/** A tool that reports each run, and does what the test says. */
const toolOf = ({ name, parameters, returns, raises, repeats, waits, timeoutMs, while: words }: Asked) =>
  tool({
    name,
    description: `the tool ${name}`,
    parameters: parameters ?? { type: 'object' },
    timeoutMs,
    while: words,
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

function agentOf({ agent: name, tools = [], exclusive: _held, balance: _so, ...options }: Asked): Agent {
  const agent = new Agent({ ...options, name, tools: tools.map(toolOf) })
  agent.on('ready', () => tell({ event: 'ready', agent: name }))
  agent.on('error', ({ code, detail }) => tell({ event: 'error', agent: name, code, detail }))
  agent.on('holders', ({ holders, newCalls }) =>
    tell({ event: 'holders', agent: name, apps: holders, newCalls }),
  )
  for (const event of eventNames)
    agent.on(event, (...given: unknown[]) => {
      const call = given.find(
        (each) => typeof each === 'object' && each !== null && 'botText' in each,
      ) as Call
      calls.set(call.id, call)
      const [first] = given
      const data = first === call ? { ...(given.length > 1 && { reason: given[1] }) } : first
      const { id, from, transport, metadata } = call
      tell({ event, agent: name, call: id, from, transport, metadata, data })
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
  hold: ({ app, ...agent }) =>
    found(apps, app).hold(agentOf(agent), { exclusive: agent.exclusive, balance: agent.balance }),
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
  transfer: ({ call, to, kind }) => found(calls, call).transfer(to, { kind }),
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
  openChat({ chat, url, key, agent, contact, metadata }) {
    const opened = openChat({ url, key, agent, contact, metadata })
    chats.set(chat, opened)
    opened.on('message', ({ text, seq }) => tell({ event: 'chat.message', chat, text, seq }))
    opened.on('ended', (reason) => tell({ event: 'chat.ended', chat, reason }))
    opened.on('error', ({ code, detail }) => tell({ event: 'error', chat, code, detail }))
    return opened.started
  },
  dial: ({ url, key, agent, to, metadata }) => new DialClient({ url, key }).dial(agent, { to, metadata }),
  explain: ({ url, key, agent, to }) => new DialClient({ url, key }).explain(agent, to),
  numbers: ({ url, key }) => new NumbersClient({ url, key }).list(),
  releaseNumber: ({ url, key, number }) => new NumbersClient({ url, key }).release(number),
  threads: ({ url, key, agent }) => new ThreadsClient({ url, key }).page(agent, { limit: 10 }),
  writeThread: ({ url, key, agent, contact, text }) =>
    new ThreadsClient({ url, key }).write(agent, contact, text),
  endpoints: ({ url, key }) => new ModelEndpoints({ url, key }).list(),
  readEndpoint: ({ url, key, name }) => new ModelEndpoints({ url, key }).read(name),
  send: async ({ chat, text }) => (await found(chats, chat).send(text)).seq,
  endChat: ({ chat }) => found(chats, chat).end(),
}

async function act({ id, do: name, ...asked }: Asked): Promise<void> {
  try {
    const value = await found(new Map(Object.entries(doing)), name)(asked)
    tell({ id, value: value ?? null })
  } catch (error) {
    const isOurs = error instanceof SwitchroomError
    const status = error instanceof GatewayRefusal ? { status: error.status } : {}
    tell({ id, error: { code: isOurs ? error.code : 'OTHER', detail: (error as Error).message, ...status } })
  }
}

createInterface({ input: process.stdin }).on('line', (line) => void act(JSON.parse(line)))
