import { noCall, type Template } from './template.ts'

export const outboundTemplate: Template = {
  summary: 'calls people who agreed to it, and takes their answer',
  agent: (name) => `import { Agent, tool, Type } from '@switchroom/sdk'

/** What people answered, by call; replace it by your own system. */
export const answers = new Map<string, string>()

export const answer = tool({
  name: 'answer',
  description: 'Keeps what the person answered',
  parameters: Type.Object({
    answer: Type.Union([Type.Literal('yes'), Type.Literal('no'), Type.Literal('later')]),
  }),
  run({ answer: given }, call) {
    answers.set(call.id, given)
    return 'it is written down: thank them and say goodbye'
  },
})

export const stop = tool({
  name: 'stop',
  description: 'For a person who wants no more calls: puts them on the do-not-call list',
  run(_nothing, call) {
    call.optOut()
    return 'they are not called again: say so, and say goodbye'
  },
})

export const agent = new Agent({
  name: '${name}',
  prompt: \`You call people to ask whether they come to their appointment tomorrow.
Say who you are and why you call. Keep their answer. Who wants no more calls is not called again.\`,
  tools: [answer, stop],
  settings: {
    greeting: { say: 'Hello, this is the surgery. Do you come to your appointment tomorrow?' },
    hangup: { when: 'they have answered and said goodbye' },
  },
})

agent.on('call.answered', (_event, call) => console.log(call.id, 'answered by', call.to))
agent.on('call.ended', (call, reason) => console.log(call.id, 'ended:', reason, answers.get(call.id) ?? 'no answer'))
`,
  programs: () => ({
    'dial.ts': `// Calls one person: npm run dial -- +34911234567 "form of 3 May". The second is where they agreed to be called.
import { agent } from './agent.js'

const [to, source] = process.argv.slice(2)
if (!to || !source) {
  console.error('usage: npm run dial -- <number> "<where they agreed to be called>"')
  process.exit(2)
}
const url = process.env['SVC_URL'] ?? 'http://127.0.0.1:8080'
const response = await fetch(\`\${url}/v1/agents/\${agent.name}/dial\`, {
  method: 'POST',
  headers: { authorization: \`Bearer \${process.env['SVC_KEY']}\`, 'content-type': 'application/json' },
  body: JSON.stringify({ to, consent: { kind: 'express', source } }),
})
const said = (await response.json()) as { call?: string; detail?: string }
if (!response.ok) {
  console.error(said.detail)
  process.exit(1)
}
console.log(\`\${said.call}: calling \${to}; svc tail \${said.call} follows it\`)
`,
  }),
  test: (name) => `import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Call } from '@switchroom/sdk'
import { agent, answer, answers, stop } from './agent.js'

${noCall}

test('${name} keeps what a person answered, and takes no other answer', async () => {
  await answer.perform('{"answer":"yes"}', { id: 'call_1' } as Call)
  assert.equal(answers.get('call_1'), 'yes')
  await assert.rejects(answer.perform('{"answer":"perhaps"}', noCall), /the arguments do not fit/)
})

test('${name} puts who wants no more calls on the do-not-call list', async () => {
  let isOut = false
  await stop.perform('', { optOut: () => (isOut = true) } as unknown as Call)
  assert.ok(isOut)
})

test('${name} is called ${name}', () => assert.equal(agent.name, '${name}'))
`,
  commands: (name) => [
    'npm run dial -- +34911234567 "form of 3 May"   # calls a person who agreed to it there',
    `svc dial ${name} +34911234567 --explain   # whether the call would be allowed, and why not`,
  ],
}
