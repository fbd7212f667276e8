import { noCall, type Template } from './template.ts'

export const voiceTemplate: Template = {
  summary: 'answers phone calls and calls from a browser',
  agent: (name) => `import { Agent, tool, Type } from '@switchroom/sdk'

export const time = tool({
  name: 'time',
  description: 'Tells the date and the time, here or in another time zone',
  parameters: Type.Object({
    zone: Type.Optional(Type.String({ description: 'such as Europe/Madrid; without it, the local time' })),
  }),
  run: ({ zone }) => new Date().toLocaleString('en-GB', { dateStyle: 'full', timeStyle: 'short', timeZone: zone }),
})

export const person = tool({
  name: 'person',
  description: 'Transfers the caller to a person',
  run(_nothing, call) {
    const number = process.env['PERSON'] // as +34911234567
    if (!number) return 'nobody can take the call now: offer to call back'
    call.transfer(number)
    return 'they are being called, and speak with the caller as soon as they answer'
  },
})

export const agent = new Agent({
  name: '${name}',
  prompt: 'You answer the phone. You are friendly, and you say one or two short sentences at a time.',
  tools: [time, person],
  settings: {
    greeting: { say: 'Hello, what can I do for you?', allow_interruptions: true },
    hangup: { when: 'the caller has said goodbye' },
  },
})

agent.on('user.message', (event, call) => console.log(call.id, event.text))
agent.on('call.transferred', ({ to, ok, why }, call) => {
  console.log(call.id, ok ? \`transferred to \${to}\` : \`not transferred to \${to}: \${why}\`)
  if (!ok) call.say('I am sorry, there was no answer.')
})
agent.on('call.ended', (call, reason) => console.log(call.id, 'ended:', reason))
`,
  test: (name) => `import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Call } from '@switchroom/sdk'
import { agent, person, time } from './agent.js'

${noCall}

test('${name} tells the time in any zone, and says which zone it does not know', async () => {
  assert.match(String(await time.perform('{"zone":"Europe/Madrid"}', noCall)), /^\\w+,? \\d+ \\w+ \\d{4}/)
  await assert.rejects(time.perform('{"zone":"Nowhere/Else"}', noCall), /time zone/i)
})

test('${name} transfers a caller to the number in PERSON, and says so if there is none', async () => {
  const transfers: string[] = []
  const call = { transfer: (to: string) => transfers.push(to) } as unknown as Call
  delete process.env['PERSON']
  assert.match(String(await person.perform('', call)), /nobody can take the call/)
  process.env['PERSON'] = '+34911234567'
  await person.perform('', call)
  assert.deepEqual(transfers, ['+34911234567'])
})

test('${name} is called ${name}', () => assert.equal(agent.name, '${name}'))
`,
  commands: () => ['PERSON=+34911234567 npm start   # a caller who asks for a person is transferred there'],
}
