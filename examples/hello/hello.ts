// The agent that `npm start` runs. SVC_URL is the gateway's address, SVC_KEY its key.
import { Agent, connect, tool, Type } from '@switchroom/sdk'

const time = tool({
  name: 'time',
  description: 'Tells the date and the time, here or in another time zone',
  parameters: Type.Object({
    zone: Type.Optional(Type.String({ description: 'such as Europe/Madrid; without it, the local time' })),
  }),
  run: ({ zone }) =>
    new Date().toLocaleString('en-GB', { dateStyle: 'full', timeStyle: 'short', timeZone: zone }),
})

const callBack = tool({
  name: 'call_back',
  description: 'Records a callback request',
  parameters: Type.Object({
    number: Type.String({ pattern: '^\\+[1-9][0-9]{6,14}$', description: 'such as +34911234567' }),
    when: Type.Optional(Type.String({ description: 'in their own words' })),
    note: Type.Optional(Type.String({ description: 'what it is about' })),
  }),
  run({ number, when, note }, call) {
    call.callback(number, { when, note })
    return `${number} is written down`
  },
})

const person = tool({
  name: 'person',
  description: 'Transfers the caller to a person',
  run(_nothing, call) {
    const isWritten = call.transport === 'chat' || call.transport === 'msgapp'
    if (isWritten) return 'only callers can be transferred, and this is a text conversation'
    const number = process.env['HELLO_PERSON'] // as +34911234567
    if (!number) return 'no person to transfer to: set HELLO_PERSON to their number'
    void call.transfer(number, { kind: 'warm' })
    return 'they are being called, and speak with the caller as soon as they answer'
  },
})

const agent = new Agent({
  name: 'hello',
  prompt: `You are the friendly host of a Switchroom demonstration, and you answer in one or two sentences.
Switchroom is the gateway of a voice-agent platform: what people build on it are agents like you.
You know the time anywhere in the world. When a caller wants to be called back, ask for their number with its
country, and for when it suits them; then write it down and say so. When a caller wants to talk to a person,
put them through. When you do not know something, say so.`,
  tools: [time, callBack, person],
})

agent.on('chat.started', (call) => log(`${call.id} started`))
agent.on('user.message', (event, call) => log(`${call.id} says ${event.text}`))
agent.on('call.transferred', ({ to, ok, why }, call) => {
  log(ok ? `${call.id} was put through to ${to}` : `${call.id} was not put through to ${to}: ${why}`)
  if (!ok) call.say('I am sorry, there was no answer.')
})
agent.on('call.ended', (call, reason) => log(`${call.id} ended: ${reason}`))

const log = (line: string) => process.stdout.write(`${new Date().toISOString()} ${line}\n`)

const switchroom = connect({ app: 'hello' })
for (const end of ['SIGINT', 'SIGTERM', 'disconnect'])
  process.once(end, () => void switchroom.close().then(() => process.exit()))

await switchroom.hold(agent)
log('hello is there')
process.send?.('ready') // to npm start, which waits for it
