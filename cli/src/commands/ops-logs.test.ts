import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Machine } from '../../testing/terminal.ts'

const line = (second: number, fields: object) =>
  `${JSON.stringify({ level: 'info', time: `2026-11-18T12:00:${String(second).padStart(2, '0')}.000Z`, ...fields })}\n`

function machineWithLogs(t: Parameters<typeof Machine.of>[0]): Machine {
  const machine = Machine.of(t)
  const folder = join(machine.home, 'data', 'logs')
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, 'gateway.log'),
    line(3, { call: 'call_1', org: 'org_1', msg: 'answered' }) +
      'Error: call_1 broke\n    at nowhere\n' +
      line(4, { call: 'call_2', org: 'org_1', msg: 'answered' }) +
      line(6, { calls: ['call_2', 'call_1'], msg: 'entries could not be written', err: { message: 'away' } }),
  )
  writeFileSync(join(folder, 'gateway.log.1'), line(1, { call: 'call_1', msg: 'a call began' }))
  writeFileSync(
    join(folder, 'worker.log'),
    line(2, { worker: 'w', call: 'call_1', msg: '\u001b[31ma call runs here' }),
  )
  return machine
}

test('the lines about a call are found in all logs of the machine, in the order of their time', async (t) => {
  const machine = machineWithLogs(t)
  const { status, stdout, stderr } = await machine.run(['ops', 'logs', '--call', 'call_1'])
  assert.deepEqual([status, stderr], [0, ''])
  assert.deepEqual(stdout.trimEnd().split('\n'), [
    '2026-11-18T12:00:01.000Z gateway info a call began',
    '2026-11-18T12:00:02.000Z worker info  [31ma call runs here worker=w',
    '2026-11-18T12:00:03.000Z gateway info answered org=org_1',
    '2026-11-18T12:00:06.000Z gateway info entries could not be written (away) calls=["call_2","call_1"]',
  ])
  const json = JSON.parse((await machine.run(['ops', 'logs', '--call', 'call_2', '--json'])).stdout)
  assert.deepEqual(
    json.map(({ process, msg }: Record<string, string>) => [process, msg]),
    [
      ['gateway', 'answered'],
      ['gateway', 'entries could not be written'],
    ],
  )
})

test('other logs are read by name or from standard input, and a call that no line names is said to be so', async (t) => {
  const machine = machineWithLogs(t)
  const input = line(9, { call: 'call_9', msg: 'from the journal' })
  const piped = await machine.run(['ops', 'logs', '--call', 'call_9', '--file', '-'], input)
  assert.equal(piped.stdout, '2026-11-18T12:00:09.000Z stdin info from the journal\n')
  const none = await machine.run(['ops', 'logs', '--call', 'call_9', '--file', 'data/logs/worker.log'])
  assert.deepEqual([none.stdout, none.stderr], ['', 'No line names call_9 in worker.log.\n'])
})

test('without logs, or a call, the command says what to do', async (t) => {
  const machine = Machine.of(t)
  const run = async (...words: string[]) => (await machine.run(['ops', 'logs', ...words])).stderr
  assert.equal(await run(), 'svc: --call is missing\n')
  assert.equal(
    await run('--call', 'call_1'),
    'svc: there are no logs in data/logs: set SVC_DATA to the data folder of npm start, or name logs with --file\n',
  )
  assert.equal(
    await run('--call', 'call_1', '--file', 'nowhere.log'),
    "svc: nowhere.log cannot be read (ENOENT: no such file or directory, open 'nowhere.log')\n",
  )
})
