import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import * as sdk from '@switchroom/sdk'
import { agentEvents, lineEvents } from '@switchroom/sdk/event-names'
import { pythonEnvironment } from '@switchroom/tools/python-environment'
import { root } from '@switchroom/tools/test-files'

const found = await pythonEnvironment(join(root, 'python/testing/requirements.txt'))
const skip = found.missing

/** What goes by another name in Python than the same words in snake case; null: Python has its own way. */
const named: Record<string, string | null> = {
  Type: null,
  'Agent.tool': 'Agent.find_tool',
  'Agent.awaitsGateway': 'Agent.awaits_gateway',
  'Call.from': 'Call.from_',
  'Call.botText': 'Call.bot_text',
  'ModelEndpoints.try': 'ModelEndpoints.try_',
  'SpeechError.error': 'SpeechError.detail',
}

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Functions and classes, and what the classes offer: `Call.say`. */
function capabilities(): string[] {
  const names: string[] = []
  for (const [name, value] of Object.entries(sdk)) {
    names.push(name)
    if (typeof value !== 'function') continue
    const members: string[] = Object.getOwnPropertyNames(value.prototype ?? {})
    names.push(...members.filter((each) => each !== 'constructor').map((each) => `${name}.${each}`))
  }
  const call = new sdk.Call('call_1', 'desk', {
    send() {},
    entries: async () => [],
    search: async () => assert.fail(),
  })
  names.push(...Object.keys(call).map((each) => `Call.${each}`))
  return names
}

function counterpartOf(name: string): string | null {
  if (name in named) return named[name] ?? null
  const [owner = '', member] = name.split('.')
  if (member !== undefined) return `${owner}.${snake(member)}`
  return /^[A-Z]/.test(owner) ? owner : snake(owner)
}

const listed = `
import asyncio, inspect, json, switchroom
from switchroom import events

async def nothing(_):
    return []

call = switchroom.Call("call_1", "desk", lambda frame: None, nothing)
names = [f"Call.{name}" for name in vars(call)]
for name in switchroom.__all__:
    value = getattr(switchroom, name)
    names.append(name)
    if inspect.isclass(value):
        names += [f"{name}.{member}" for member in dir(value)]
refusal, failure = switchroom.GatewayRefusal(404, "no", "NOT_FOUND"), switchroom.SpeechError("NO", 404, "no")
names += [f"{type(each).__name__}.{name}" for each in (refusal, failure) for name in vars(each)]
print(json.dumps({"names": names, "agent": sorted(events.AGENT_EVENTS), "line": sorted(events.LINE_EVENTS)}))
`

function python() {
  const program = found.missing === false ? found.python : ''
  const environment = { ...process.env, PYTHONPATH: join(root, 'python/src'), PYTHONDONTWRITEBYTECODE: '1' }
  return JSON.parse(execFileSync(program, ['-c', listed], { env: environment, encoding: 'utf8' })) as {
    names: string[]
    agent: string[]
    line: string[]
  }
}

test(
  'every function, class, method and field of the TypeScript SDK has its counterpart in Python',
  { skip },
  () => {
    const { names } = python()
    const known = new Set(names)
    const missing = capabilities().filter((name) => {
      const counterpart = counterpartOf(name)
      return counterpart !== null && !known.has(counterpart)
    })
    assert.deepEqual(missing, [])
  },
)

test('both SDKs have the same events of agents and lines', { skip }, () => {
  const { agent, line } = python()
  assert.deepEqual(agent, Object.keys(agentEvents).toSorted())
  assert.deepEqual(line, Object.keys(lineEvents).toSorted())
})

test(
  'the Python page names each class and function of its package, and what goes by another name',
  { skip },
  () => {
    const page = readFileSync(join(root, 'python/README.md'), 'utf8')
    const table = page.slice(page.indexOf('## The same as in TypeScript'))
    assert.notEqual(table, page)
    const missing = Object.keys(sdk).filter((name) => !table.includes(`\`${name}`))
    assert.deepEqual(missing, [])
  },
)
