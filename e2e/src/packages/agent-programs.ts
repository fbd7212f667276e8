/** What every program below does: it holds the agent of its first argument, which has one tool. */
const program = `
const name = process.argv[2] ?? ''
const shout = tool({
  name: 'shout',
  description: 'Says it louder',
  parameters: Type.Object({ text: Type.String() }),
  run: ({ text }) => text.toUpperCase(),
})
const agent = new Agent({ name, prompt: 'You shout.', tools: [shout] })
agent.on('user.message', (event, call) => console.log(call.id, event.text))
const switchroom = connect({ app: name })
process.once('SIGINT', () => void switchroom.close().then(() => process.exit()))
`

const imported = `import { Agent, connect, tool, Type } from '@switchroom/sdk'\n`
const awaited = `await switchroom.hold(agent)\nconsole.log(name, 'is there')\n`
const settled = `switchroom.hold(agent).then(() => console.log(name, 'is there'))\n`

export const moduleProgram = imported + program + awaited
export const commonProgram = `const { Agent, connect, tool, Type } = require('@switchroom/sdk')\n${program}${settled}`

/** With the types an author writes down, and a class that extends the agent's. */
export const typedProgram = `import { Agent, connect, tool, Type, SwitchroomError, type Call, type Tool } from '@switchroom/sdk'
${program}
class Desk extends Agent {
  readonly tools: readonly Tool[] = [shout]
}
const desk: Agent = new Desk({ name: 'desk' })
desk.on('call.ended', (call: Call, reason) => console.log(call.duration?.toFixed(1), reason))
agent.on('error', (error: SwitchroomError) => console.error(error.code, error.detail))
`
export const typedModule = typedProgram + awaited
export const typedCommon = typedProgram + settled

export const compilerOptions = {
  strict: true,
  target: 'es2022',
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
}

/** Imports every path of the contract, and uses a schema and its type. */
export const shapesProgram = (paths: readonly string[]) => `${paths
  .map((path, at) => `import * as part${at} from '@switchroom/contract${path.slice(1)}'`)
  .join('\n')}
import { RouteCall } from '@switchroom/contract/call-frames'
const routed: RouteCall = { type: 'call.route', call: 'call_1', agent: 'desk' }
const parts = [${paths.map((_, at) => `part${at}`).join()}]
console.log(Object.keys(RouteCall.properties).join(), routed.agent, parts.length)
`
