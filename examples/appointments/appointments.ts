// An appointment desk: it knows which times are free, books one and cancels it. CALENDAR names the file of the
// calendar; SVC_URL is the gateway's address, SVC_KEY its key.
import { Agent, connect, tool, Type } from '@switchroom/sdk'
import { Calendar } from './calendar.ts'

const calendar = new Calendar(process.env['CALENDAR'] ?? 'calendar.json')
const Moment = Type.String({
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:(00|30)$',
  description: 'such as 2026-11-18T09:30',
})

const free = tool({
  name: 'free_times',
  description: 'The free times of a day',
  parameters: Type.Object({ day: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' }) }),
  run({ day }) {
    const times = calendar.free(day)
    return times.length > 0 ? times : 'there is no free time on that day'
  },
})

const book = tool({
  name: 'book',
  description: 'Books an appointment of half an hour',
  parameters: Type.Object({ at: Moment, name: Type.String({ minLength: 1 }) }),
  run({ at, name }, call) {
    const booked = calendar.book({ at, name, phone: call.from })
    log(`${call.id} booked ${booked.at} for ${booked.name}`)
    return `booked for ${booked.name} at ${booked.at}`
  },
})

const cancel = tool({
  name: 'cancel',
  description: 'Cancels an appointment of this caller',
  parameters: Type.Object({ at: Moment }),
  run({ at }, call) {
    calendar.cancel(at, call.from)
    log(`${call.id} cancelled ${at}`)
    return `the appointment at ${at} is cancelled`
  },
})

const agent = new Agent({
  name: 'appointments',
  prompt: `You make appointments for a surgery, open from 9 to 17 on weekdays. Ask for the day, offer two free times,
ask for the name, then book. Only times that the tool names are free. Say the booked day and time once more.`,
  tools: [free, book, cancel],
  preparing: { timeoutMs: 500 },
  settings: {
    greeting: {
      say: 'Surgery of Doctor Vega, good day. When would you like to come?',
      allow_interruptions: true,
    },
  },
})

agent.on('call.preparing', () => ({ context: `Today is ${new Date().toDateString()}.` }))
agent.on('call.ended', (call, reason) => log(`${call.id} ended: ${reason}`))

const log = (line: string) => process.stdout.write(`${line}\n`)

const switchroom = connect({ app: 'appointments' })
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void switchroom.close().then(() => process.exit()))

await switchroom.hold(agent)
log('appointments is there')
