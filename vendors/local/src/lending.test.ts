import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { answerOf, ask, startBorrower } from '../testing/borrowers.ts'
import { isAlive, programsUnder, until } from '../testing/speech.ts'
import { Exchange } from './exchange.ts'
import { lend } from './lending.ts'

const story = 'Please call me back tomorrow morning because I would like to change my order. '.repeat(40)
const lender = fileURLToPath(new URL('../testing/lender.ts', import.meta.url))
const started: ChildProcess[] = []
after(() => {
  for (const child of started) child.kill('SIGKILL')
})

function borrower(how?: (channel: Duplex) => void) {
  const child = startBorrower(how)
  started.push(child)
  return child
}

const ours = (path: string) => programsUnder(process.pid, path)

test('processes that borrow speak and listen with one voice and one speech-to-text of the process that lends', async () => {
  const [first, second] = [borrower(), borrower()]
  const answers = await Promise.all([first, second].map(async (one) => ask(one, { listen: true })))
  for (const answer of answers) assert.deepEqual(answer, { listens: true, programs: 0 })
  const said = await Promise.all([first, second].map(async (one) => ask(one, { say: 'Hello, how are you?' })))
  assert.ok((said[0]?.said ?? 0) > 10_000, JSON.stringify(said))
  assert.deepEqual(said[0], said[1])
  assert.deepEqual([(await ours('local-voice')).length, (await ours('hearing')).length], [1, 1])
})

test('if a program is killed, all who wait for it fail with its sentence, and their next requests work', async () => {
  const borrowers = [borrower(), borrower()]
  for (const one of borrowers) assert.equal((await ask(one, { listen: true })).listens, true)
  const failed = Promise.all(borrowers.map(answerOf))
  for (const pid of await ours('hearing')) process.kill(pid, 'SIGKILL')
  const words = 'local speech-to-text stopped before the answer was complete (SIGKILL)'
  for (const answer of await failed) assert.deepEqual(answer, { kind: 'silent', failed: words })
  for (const one of borrowers) assert.equal((await ask(one, { listen: true })).listens, true)
  assert.equal((await ours('hearing')).length, 1)
})

test('what a process that is killed has asked for is cancelled', async () => {
  const asked: AbortSignal[] = []
  const held = {
    ask: (_: unknown, signal: AbortSignal) => {
      asked.push(signal)
      return new Exchange(
        () => {},
        () => {},
      )
    },
  }
  const child = borrower((channel) => lend(channel, { voice: held }))
  child.send({ say: story })
  await until(() => asked.length === 1, 'it has asked')
  assert.equal(asked[0]?.aborted, false)
  child.kill('SIGKILL')
  await until(() => asked[0]?.aborted === true, 'its request is cancelled')
})

test('if the process that lends is killed, nothing of it is left', async () => {
  const child = spawn(process.execPath, [lender], { stdio: ['ignore', 'pipe', 'inherit'] })
  started.push(child)
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  const pids = JSON.parse(line) as number[]
  assert.equal(pids.length, 3)
  assert.ok(pids.every(isAlive))
  child.kill('SIGKILL')
  await until(() => !pids.some(isAlive), 'all are gone')
})

test('a process whose lender is gone fails with a sentence', async () => {
  const { promise: asked, resolve } = Promise.withResolvers<Duplex>()
  const child = borrower((channel) => void channel.once('data', () => resolve(channel)))
  const failed = ask(child, { say: story })
  const channel = await asked
  channel.destroy()
  const words = 'the process that runs the programs of local is gone'
  assert.deepEqual(await failed, { kind: 'silent', failed: words })
  assert.deepEqual(await ask(child, { say: story }), { kind: 'silent', failed: words })
})
