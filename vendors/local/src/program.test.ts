import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { isAlive, patient, programsUnder, until } from '../testing/speech.ts'
import { entryOf } from './installed-program.ts'
import { Program } from './program.ts'

const host = fileURLToPath(new URL('../testing/host.ts', import.meta.url))
const story = 'Please call me back tomorrow morning because I would like to change my order. '.repeat(20)
const speak = { type: 'speak', text: story, words_per_minute: 175 }
const ours = () => programsUnder(process.pid, 'local-voice')

const voiceProgram = (idleMs: number) =>
  new Program({
    name: 'the voice',
    entry: () => entryOf('@switchroom/local-voice/program', 'the voice'),
    idleMs,
    loadsWithinMs: 60_000,
    pulseMs: 60_000,
  })

/** The programs it started, and how it ended. */
async function startHost(how: string, environment: NodeJS.ProcessEnv = {}) {
  const { PATH } = process.env
  const child = spawn(process.execPath, [host, how], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH, ...environment },
  })
  const ended = once(child, 'exit')
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  const programs = JSON.parse(line) as number[]
  assert.equal(programs.length, 2)
  return { child, programs, ended }
}

test('programs outlive what a terminal sends to all, get no settings of their host, send no reports, and end when it is killed', async () => {
  const { child, programs, ended } = await startHost('stay', { SVC_PROVIDER_KEY_OPENAI: 'secret' })
  for (const pid of programs) {
    process.kill(pid, 'SIGINT')
    process.kill(pid, 'SIGTERM')
  }
  if (process.platform === 'linux')
    for (const pid of programs) {
      const lines = (await readFile(`/proc/${pid}/environ`, 'utf8')).split('\0')
      assert.deepEqual(
        lines.filter((line) => !line.startsWith('PATH=') && line !== ''),
        ['ORT_DISABLE_TELEMETRY=1', 'MALLOC_MMAP_THRESHOLD_=65536', 'MALLOC_TRIM_THRESHOLD_=131072'],
      )
    }
  assert.ok(programs.every(isAlive))
  child.kill('SIGKILL')
  await ended
  await until(() => !programs.some(isAlive), 'both are gone')
})

test('programs that wait for the next request do not keep their host, and go with it', async () => {
  const { programs, ended } = await startHost('end')
  assert.deepEqual(await ended, [0, null])
  await until(() => !programs.some(isAlive), 'both are gone')
})

test('an idle program is ended, and started again for the next request', async () => {
  const program = voiceProgram(1)
  const ask = () => Array.fromAsync(program.ask({ type: 'voices' }, patient()))
  assert.equal((await ask()).length, 2)
  await until(async () => (await ours()).length === 0, 'it is ended')
  assert.equal((await ask()).length, 2)
})

test('a program works no further ahead than its answers are taken', async () => {
  const program = voiceProgram(60_000)
  const leave = new AbortController()
  let untaken = 0
  const waiting = (async () => {
    for await (const { bytes } of program.ask(speak, leave.signal)) untaken += bytes.length
  })()
  const taking = program.ask(speak, patient())
  let taken = 0
  for await (const { message, bytes } of taking) {
    taken += bytes.length
    if (message.type === 'audio') taking.send({ type: 'taken', count: bytes.length })
  }
  assert.ok(taken > 3_000_000, `${taken} bytes of the whole text`)
  assert.ok(untaken > 100_000 && untaken < 1_500_000, `${untaken} bytes for a reader that takes none`)
  leave.abort()
  await assert.rejects(waiting, { name: 'AbortError' })
})

test('a program that cannot begin, speaks nonsense or hangs fails its caller with a sentence', async () => {
  for (const [how, words] of [
    ['failed', 'the weights are not what they should be'],
    ['garbled', 'the voice sent unreadable output'],
    ['hanging', 'the voice did not answer any more'],
  ] as const) {
    const entry = fileURLToPath(new URL(`../testing/${how}-program.ts`, import.meta.url))
    const program = new Program({
      name: 'the voice',
      entry: () => entry,
      idleMs: 60_000,
      loadsWithinMs: 1_000,
      pulseMs: 1_000,
    })
    await assert.rejects(Array.fromAsync(program.ask({ type: 'voices' }, patient())), {
      kind: 'silent',
      message: words,
    })
  }
})
