// An app in a process of its own: prints the events of its agent's calls, one JSON line each.
import { Agent, connect } from '@switchroom/sdk'

const print = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`)

const agent = new Agent({ name: process.argv[2] ?? 'desk' })
agent.on('chat.started', (call) => print({ event: 'chat.started', call: call.id }))
agent.on('call.passed', (call) => print({ event: 'call.passed', call: call.id }))
agent.on('user.message', ({ text }, call) => print({ event: 'user.message', call: call.id, text }))
agent.on('agent.message', ({ text }, call) => print({ event: 'agent.message', call: call.id, text }))
agent.on('call.ended', (call, reason) => print({ event: 'call.ended', call: call.id, text: reason }))
const switchroom = connect()
switchroom.on('disconnected', () => {})
await switchroom.hold(agent)
print({ event: 'held' })
