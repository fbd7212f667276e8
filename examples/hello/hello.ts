// The agent that `npm start` runs. SVC_URL and SVC_KEY say where the gateway is and what opens it.
import { Agent, connect, tool, Type } from '@switchroom/sdk'

const time = tool({
  name: 'time',
  description: 'Tells the date and the time, here or in another time zone',
  parameters: Type.Object({
    zone: Type.Optional(Type.String({ description: 'as Europe/Madrid; left out, it is the time here' })),
  }),
  run: ({ zone }) =>
    new Date().toLocaleString('en-GB', { dateStyle: 'full', timeStyle: 'short', timeZone: zone }),
})

const callBack = tool({
  name: 'call_back',
  description: 'Writes down that somebody wants to be called back',
  parameters: Type.Object({
    number: Type.String({ pattern: '^\\+[1-9][0-9]{6,14}$', description: 'as +34911234567' }),
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
  description: 'Puts somebody who calls through to a person',
  run(_nothing, call) {
    const isWritten = call.transport === 'chat' || call.transport === 'msgapp'
    if (isWritten) return 'only somebody who calls can be put through, and this conversation is written'
    const number = process.env['HELLO_PERSON'] // as +34911234567
    if (!number) return 'nobody was named to put callers through to: HELLO_PERSON is for their number'
    call.transfer(number, { kind: 'warm' })
    return 'they are being called, and speak with the caller as soon as they answer'
  },
})

const agent = new Agent({
  name: 'hello',
  prompt: `You are the friendly host of a Switchroom demonstration, and you answer in one or two sentences.
Switchroom is the gateway of a voice-agent platform: what people build on it are agents like you.
You know the time anywhere in the world. When somebody wants to be called back, ask for their number with its
country, and for when it suits them; then write it down and say so. When somebody wants to talk to a person,
put them through. When you do not know something, say so.`,
  tools: [time, callBack, person],
})

agent.on('chat.started', (call) => log(`${call.id} started`))
agent.on('user.message', (event, call) => log(`${call.id} says ${event.text}`))
agent.on('call.transferred', ({ to, ok, why }, call) => {
  log(ok ? `${call.id} was put through to ${to}` : `${call.id} was not put through to ${to}: ${why}`)
  if (!ok) call.say('I am sorry, nobody came to the phone.')
})
agent.on('call.ended', (call, reason) => log(`${call.id} ended: ${reason}`))

const log = (line: string) => process.stdout.write(`${new Date().toISOString()} ${line}\n`)

const switchroom = connect({ app: 'hello' })
for (const end of ['SIGINT', 'SIGTERM', 'disconnect'])
  process.once(end, () => void switchroom.close().then(() => process.exit()))

await switchroom.hold(agent)
log('hello is there')
process.send?.('ready') // to npm start, which waits for it
