// Calls everyone in the file of PEOPLE who agreed to it, and keeps what they answered. Who wants no more calls is put
// on the do-not-call list, which refuses the next one. SVC_URL is the gateway's address, SVC_KEY its key.
import { readFileSync } from 'node:fs'
import { Agent, connect, tool, Type, type Call } from '@switchroom/sdk'
import { dial, type Person } from './dialling.ts'

const people = JSON.parse(readFileSync(process.env['PEOPLE'] ?? 'people.json', 'utf8')) as Person[]
const named = (call: Call) => people.find(({ phone }) => phone === call.to || phone === call.from)

const answer = tool({
  name: 'answer',
  description: 'Keeps whether the person comes',
  parameters: Type.Object({ comes: Type.Boolean() }),
  run({ comes }, call) {
    log(`${named(call)?.name ?? call.id} ${comes ? 'comes' : 'does not come'}`)
    return 'it is written down: thank them and say goodbye'
  },
})

const stop = tool({
  name: 'stop_calls',
  description: 'For a person who wants no more calls',
  run(_nothing, call) {
    call.optOut()
    log(`${named(call)?.name ?? call.id} wants no more calls`)
    return 'they are not called again: say so, and say goodbye'
  },
})

const agent = new Agent({
  name: 'reminders',
  prompt: `You call people about their appointment. Say that you are the assistant of the surgery, ask whether they
come, and keep the answer. If they want no more calls, stop them.`,
  tools: [answer, stop],
  preparing: { timeoutMs: 500 },
  settings: { greeting: { say: 'Hello, this is the surgery of Doctor Vega.' } },
})

agent.on('call.preparing', (call) => {
  const person = named(call)
  return {
    context: person ? `You speak with ${person.name}, whose appointment is ${person.appointment}.` : '',
  }
})
agent.on('call.ended', (call, reason) => log(`${named(call)?.name ?? call.id}: ${reason}`))

const log = (line: string) => process.stdout.write(`${line}\n`)

const switchroom = connect({ app: 'reminders' })
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void switchroom.close().then(() => process.exit()))

await switchroom.hold(agent)
log('reminders is there')

for (const person of people) {
  const dialled = await dial(agent.name, person)
  log(
    'call' in dialled
      ? `${person.name} is called: ${dialled.call}`
      : `${person.name} is not called: ${dialled.refused}`,
  )
}
log('everybody was dialled')
