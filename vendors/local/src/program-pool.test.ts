import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { patient, programsUnder, until } from '../testing/speech.ts'
import type { Exchange } from './exchange.ts'
import { ProgramPool, type PoolOf } from './program-pool.ts'

const entry = fileURLToPath(new URL('../testing/answering-program.ts', import.meta.url))
const ours = async () => (await programsUnder(process.pid, 'answering-program')).length

const newPool = (parts: Partial<PoolOf> = {}) =>
  new ProgramPool({
    name: 'the program',
    entry: () => entry,
    idleMs: 60_000,
    loadsWithinMs: 60_000,
    pulseMs: 5_000,
    most: () => 2,
    share: 2,
    refusesAt: () => 4,
    patienceMs: 1,
    ...parts,
  })

/** Which process has it, once it has. */
async function pidOf(exchange: Exchange): Promise<number> {
  for await (const { message } of exchange) return Number(message['pid'])
  throw new Error('it is over')
}

test('requests stay with one program up to its fair share, a second one is started for more, and there is no third', async (t) => {
  const pool = newPool()
  const over = new AbortController()
  t.after(() => over.abort())
  const open = () => pidOf(pool.ask({ type: 'open' }, over.signal))
  const pids = [await open(), await open()]
  await until(async () => (await ours()) === 2, 'a second one runs')
  while (pids.length < 8) pids.push(await open())
  assert.equal(pids[0], pids[1])
  const first = pids.filter((pid) => pid === pids[0]).length
  assert.deepEqual([first, new Set(pids).size, await ours()], [4, 2, 2])
})

test('a request that is cancelled leaves its place to another one at once', async (t) => {
  const pool = newPool({ most: () => 1, refusesAt: () => Infinity })
  const over = new AbortController()
  t.after(() => over.abort())
  const openAt = async (signal: AbortSignal) => {
    for await (const { message } of pool.ask({ type: 'open' }, signal)) return Number(message['open'])
    return 0
  }
  const leave = new AbortController()
  assert.deepEqual([await openAt(over.signal), await openAt(leave.signal)], [1, 2])
  leave.abort()
  assert.equal(await openAt(over.signal), 2)
})

test('a program that hangs is killed, fails only its own requests, and is started again for the next one', async (t) => {
  const pool = newPool({ pulseMs: 2_500, share: 1, refusesAt: () => 1 })
  const over = new AbortController()
  t.after(() => over.abort())
  const [hanging, working] = [pool.ask({ type: 'open' }, patient()), pool.ask({ type: 'open' }, over.signal)]
  const [hung, kept] = [await pidOf(hanging), await pidOf(working)]
  assert.notEqual(hung, kept)
  process.kill(hung, 'SIGSTOP')
  await assert.rejects(pidOf(hanging), { kind: 'silent', message: 'the program did not answer any more' })
  const next = await pidOf(pool.ask({ type: 'open' }, over.signal))
  assert.ok(next !== hung && next !== kept)
  working.send({ type: 'end' })
  await Array.fromAsync(working)
})
