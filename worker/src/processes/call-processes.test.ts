import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { until } from '@switchroom/launcher/testing/waiting'
import { findVendors } from '@switchroom/kit/installed'
import { pino } from 'pino'
import type { FromProcess } from '../process-messages.ts'
import { LentVendors } from './lent-vendors.ts'
import { CallProcesses } from './call-processes.ts'

// The processes are as they ship; their gateway does not answer.
const settings = {
  SVC_GATEWAY_URL: 'http://127.0.0.1:9',
  SVC_FLEET_KEY: 'svc_fleet_x',
  SVC_LOG_LEVEL: 'silent',
}
const before = Object.keys(settings).map((name) => [name, process.env[name]] as const)
Object.assign(process.env, settings)

const patienceMs = 120_000
const told: FromProcess[] = []
const lent = await LentVendors.among(findVendors())
const processes = newProcesses(2)
after(() => {
  processes.stop()
  for (const [name, value] of before)
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
})

function newProcesses(placesAhead: number) {
  return new CallProcesses({
    worker: 'worker-1',
    capacity: 10,
    callsPerProcess: 1,
    placesAhead,
    usesMachine: () => true,
    lent,
    logger: pino({ level: 'silent' }),
    onMessage: (_, message) => void told.push(message),
    onLost: () => {},
  })
}

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // it ended meanwhile
  }
}

const childrenOf = (parent: number) =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && Number(read(`/proc/${pid}/stat`).split(') ')[1]?.split(' ')[1]) === parent)

const commandOf = (pid: number) => read(`/proc/${pid}/cmdline`)
const waiting = () => childrenOf(process.pid).filter((pid) => commandOf(pid).includes('call-process.main'))
const programs = (path: string) => childrenOf(process.pid).filter((pid) => commandOf(pid).includes(path))
const readyCount = () => told.filter(({ type }) => type === 'ready').length

test('a process is ready once it has loaded the model that tells speech from noise, and one voice and one speech-to-text of this machine are for all', async () => {
  await processes.fill()
  assert.equal(readyCount(), 2)
  assert.equal(waiting().length, 2)
  for (const pid of waiting()) {
    assert.match(readFileSync(`/proc/${pid}/maps`, 'utf8'), /local-inference/)
    assert.deepEqual(childrenOf(pid), [])
  }
  assert.deepEqual([programs('local-voice').length, programs('hearing').length], [1, 1])
})

test('a program of this machine that is killed is started again for the processes that wait', async () => {
  const [killed = 0] = programs('hearing')
  process.kill(killed, 'SIGKILL')
  await until('it is gone', () => !programs('hearing').includes(killed), patienceMs)
  const isBack = () => {
    processes.sendAll({ type: 'warm' }) // again: the first may come before its end was noticed
    return programs('hearing').length === 1
  }
  await until('another one runs', isBack, patienceMs)
})

test('calls that begin at once get a process each that is ready, and others are loaded for those that come next', async () => {
  const [first, second] = [processes.take('call_1'), processes.take('call_2')]
  assert.deepEqual([first.isReady, second.isReady], [true, true])
  assert.notEqual(first.pid, second.pid)
  await until('two more are ready', () => readyCount() === 4, patienceMs)
  processes.giveBack(first, 'call_1')
  processes.giveBack(second, 'call_2')
  await until('two are left', () => waiting().length === 2, patienceMs)
})

test('a process that dies while it waits is replaced', async () => {
  const readyBefore = readyCount()
  const [killed = 0] = waiting()
  process.kill(killed, 'SIGKILL')
  await until('another one is ready', () => readyCount() > readyBefore, patienceMs)
  await until('two wait', () => waiting().length === 2 && !waiting().includes(killed), patienceMs)
})

test('if no process can be started, the worker does not start, and says so', async () => {
  const { execPath } = process
  const failing = newProcesses(1)
  after(() => failing.stop())
  process.execPath = '/nowhere/node'
  try {
    await assert.rejects(failing.fill(), new Error('no call process could be started: the log says why'))
  } finally {
    process.execPath = execPath
  }
})
