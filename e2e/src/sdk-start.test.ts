import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@switchroom/launcher/testing/folders'
import { until } from '@switchroom/launcher/testing/waiting'
import { launch, root } from './launch.ts'

/** The command that npm start printed, as a person at a terminal would run it. */
class Terminal {
  said = ''
  readonly ended: Promise<unknown>
  readonly #child

  constructor(command: string) {
    const [program = '', ...args] = command.split(' ')
    this.#child = spawn(program, args, { cwd: root, stdio: ['pipe', 'pipe', 'inherit'] })
    this.#child.stdout.on('data', (chunk) => (this.said += chunk))
    this.ended = once(this.#child, 'close')
  }

  type(line: string): void {
    this.#child.stdin.write(`${line}\n`)
  }

  async untilSays(answer: RegExp): Promise<void> {
    await until(`it says ${answer}`, () => answer.test(this.said), 60_000).catch((error: Error) => {
      throw new Error(`${error.message}; it said: ${this.said}`)
    })
  }

  async pressCtrlD(): Promise<void> {
    this.#child.stdin.end()
    await this.ended
  }
}

test('a fresh start runs an example agent that can be written to, knows the time and takes a number; it comes back when it dies, and its key stays', async (t) => {
  const data = join(temporaryFolder(t), 'data')
  const first = await launch(t, { data })
  await first.untilReady()
  const command = /^ {2}(npx node \S+ \S+)$/m.exec(first.stdout)?.[1] ?? ''
  const keys = readFileSync(join(data, 'example.env'), 'utf8')
  assert.equal(statSync(join(data, 'example.env')).mode & 0o777, 0o600)
  assert.ok(!first.stdout.includes(keyIn(keys)))

  const terminal = new Terminal(command)
  await terminal.untilSays(/^hello: Hello! Ask me for the time, or leave a number to be called back\.$/m)
  terminal.type('what time is it')
  await terminal.untilSays(/^hello: .*connect a model such as Ollama\. \w+, \d+ \w+ \d{4} at \d\d:\d\d\.$/m)
  terminal.type('Please call me back on +34 911 234 567.')
  await terminal.untilSays(/^hello: \+34911234567 is written down\.$/m)
  await terminal.pressCtrlD()
  const { callbacks } = await asExample('/v1/callbacks', keys, first.address)
  assert.deepEqual(
    callbacks.map((entry) => [entry.agent, entry.data['number'], entry.data['via']]),
    [['hello', '+34911234567', 'agent']],
  )

  const log = () => readFileSync(join(data, 'logs', 'hello.log'), 'utf8')
  await until('the agent receives the end of the call', () => log().includes('ended: hangup'))
  const pids = first.leftBehind().filter((pid) => commandOf(pid).includes('hello.ts'))
  assert.equal(pids.length, 1)
  process.kill(Number(pids[0]), 'SIGKILL')
  await until('it is back', () => first.stderr.includes('the example agent is running again'))
  const again = new Terminal(command)
  again.type('what time is it')
  await again.untilSays(/ \d{4} at \d\d:\d\d\.$/m)
  await again.pressCtrlD()
  assert.equal(await first.stop(), 0)
  assert.deepEqual(first.leftBehind(), [])

  const second = await launch(t, { data })
  await second.untilReady()
  assert.equal(keyIn(readFileSync(join(data, 'example.env'), 'utf8')), keyIn(keys))
  second.kill('SIGKILL')
  await until('its processes are gone', () => second.leftBehind().length === 0, 60_000)
})

interface Callbacks {
  callbacks: { agent: string; data: Record<string, unknown> }[]
}

async function asExample(path: string, keys: string, address: string): Promise<Callbacks> {
  const response = await fetch(address + path, { headers: { authorization: `Bearer ${keyIn(keys)}` } })
  return response.json() as Promise<Callbacks>
}

const keyIn = (file: string) => /SVC_KEY=(.*)/.exec(file)?.[1] ?? ''
const commandOf = (pid: number) => readFileSync(`/proc/${pid}/cmdline`, 'utf8')
