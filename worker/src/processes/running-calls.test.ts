import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { after, test } from 'node:test'
import type { OpenedWorkerCall } from '@switchroom/contract/worker'
import { until } from '@switchroom/launcher/testing/waiting'
import { MediaError } from '@switchroom/media/plane'
import type { SipDialog } from '@switchroom/media/sip/server'
import { freeUdpPort } from '@switchroom/media/testing/free-udp-port'
import { findVendors } from '@switchroom/kit/installed'
import { pino } from 'pino'
import { LentVendors } from './lent-vendors.ts'
import { RunningCalls, type LostCall } from './running-calls.ts'

// The processes are as they ship; their gateway does not answer.
process.env['SVC_GATEWAY_URL'] = 'http://127.0.0.1:9'
process.env['SVC_FLEET_KEY'] = 'svc_fleet_x'
process.env['SVC_LOG_LEVEL'] = 'silent'

const lost: LostCall[] = []
const lostWithProcess: string[] = []
const calls = new RunningCalls({
  worker: 'worker-1',
  capacity: 4,
  callsPerProcess: 2,
  placesAhead: 2,
  lent: await LentVendors.among(findVendors()),
  logger: pino({ level: 'silent' }),
  dialLeg: () => Promise.reject(new MediaError('no dial is expected')),
  onLost: async (call) => void lost.push(call),
  onLostProcess: (call) => void lostWithProcess.push(call),
  clipOf: () => undefined,
})
after(() => calls.processes.stop())

async function isBound(port: number): Promise<boolean> {
  const socket = createSocket('udp4').bind(port, '127.0.0.1')
  try {
    await once(socket, 'listening')
    return false
  } catch {
    return true
  } finally {
    socket.close()
  }
}

const termsAt = (localPort: number) =>
  ({
    localPort,
    localAddress: '127.0.0.1',
    remoteAddress: '127.0.0.1',
    signalledFrom: '127.0.0.1',
    remotePort: 9,
    codec: 'PCMU',
    payloadType: 0,
    tonePayloadType: 101,
    ptimeMs: 20,
  }) as const

/** The dialog of a phone whose signalling stays up, whatever becomes of the call. */
function dialogAt(localPort: number): SipDialog & { byes: number; sounds: string[] } {
  const dialog = {
    byes: 0,
    terms: termsAt(localPort),
    onTermsChanged: () => {},
    onInfoTone: () => {},
    sendInfoTone: async () => {},
    sounds: [] as string[],
    tellSound: (sound: string) => void dialog.sounds.push(sound),
    refer: async () => {},
    ended: new Promise<never>(() => {}),
    bye: async () => void (dialog.byes += 1),
  }
  return dialog
}

const opened = (call: string): OpenedWorkerCall => ({ call, agent: 'hello', line: null }) as OpenedWorkerCall

const place = async (call: string) => {
  await calls.processes.untilReady(60_000)
  return calls.placeForPhone(call)
}

const gone = new Error('the process for the call is gone')

test('a process binds the sound of a call before anybody answers it, and releases it if the call is not answered', async () => {
  const port = await freeUdpPort()
  const phone = await place('call_1')
  await phone.open(termsAt(port))
  assert.equal(await isBound(port), true)
  phone.giveBack()
  await until('the port is free', async () => !(await isBound(port)), 30_000)
})

test('a process whose call is over at once takes the next one, in place of one that is still loading', async () => {
  await calls.processes.untilReady(60_000)
  const first = calls.processes.take('call_short')
  calls.processes.giveBack(first, 'call_short')
  const next = calls.processes.take('call_next')
  assert.equal(next.pid, first.pid)
  calls.processes.giveBack(next, 'call_next')
})

test('a port that is taken is reported, and another one may be bound for the same call', async () => {
  const phone = await place('call_2')
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address()
  await assert.rejects(
    phone.open(termsAt(port)),
    new MediaError(`the port ${port} for sound could not be opened: EADDRINUSE`),
  )
  socket.close()
  const other = await freeUdpPort()
  await phone.open(termsAt(other))
  assert.equal(await isBound(other), true)
  phone.giveBack()
})

test('a process that ends before a call is answered rejects the wait for it, and an ended one is not waited for', async () => {
  const phone = await place('call_3')
  const { pid } = calls.processes.take('call_4')
  assert.ok(pid)
  process.kill(pid, 'SIGSTOP') // it hears of the question, and never answers
  const opening = phone.open(termsAt(await freeUdpPort()))
  process.kill(pid, 'SIGKILL')
  await assert.rejects(opening, gone)
  await assert.rejects(phone.open(termsAt(await freeUdpPort())), gone)
  assert.equal(calls.count, 0)
})

test('a process that ends between the binding and the answer loses the call, and its caller hears so', async () => {
  const port = await freeUdpPort()
  const phone = await place('call_5')
  const taken = calls.processes.take('call_6')
  await phone.open(termsAt(port))
  lost.length = 0
  process.kill(taken.pid ?? 0, 'SIGKILL')
  await until('it has ended', () => taken.isOver, 30_000)
  const dialog = dialogAt(port)
  phone.run(opened('call_5'), dialog, null, true)
  await until('the call is lost', () => lost.some(({ caller }) => caller?.dialog === dialog), 30_000)
  assert.deepEqual(lostWithProcess, ['call_5'], 'the one that was not answered is no call')
  await until('no call is left', () => calls.count === 0, 30_000)
})

test('a process that cannot be started is dropped, and the next call gets another one', async () => {
  const { execPath } = process
  const phone = await place('call_7')
  phone.giveBack()
  process.execPath = '/nowhere/node'
  const failing = [1, 2, 3, 4].map((at) => calls.placeForPhone(`call_8_${at}`)) // more than fit in the running ones
  process.execPath = execPath
  const outcomes = await Promise.allSettled(
    failing.map(async (one) => one.open(termsAt(await freeUdpPort()))),
  )
  assert.ok(outcomes.some(({ status }) => status === 'rejected'))
  for (const one of failing) one.giveBack()
  const next = await place('call_9')
  await next.open(termsAt(await freeUdpPort()))
  next.giveBack()
})

test('the signalling of a call hears from its process whether sound comes', async () => {
  const port = await freeUdpPort()
  const phone = await place('call_heard')
  await phone.open(termsAt(port))
  const dialog = dialogAt(port)
  phone.run(opened('call_heard'), dialog, null, false)
  await until('its sound is reported', () => dialog.sounds.includes('heard'), 30_000)
})

test('the calls that run are counted by channel and environment, and how late their process was', async () => {
  const live = () => Object.fromEntries(calls.countLive().map(([count, ...kind]) => [kind.join(' '), count]))
  const before = live()
  assert.deepEqual([before['phone production'], before['web sandbox'], before['web production']], [0, 0, 0])
  const port = await freeUdpPort()
  const phone = await place('call_counted')
  await phone.open(termsAt(port))
  phone.run({ ...opened('call_counted'), env: 'production' }, dialogAt(port), null, false)
  assert.deepEqual(live(), { ...before, 'phone production': 1 })
  const taken = calls.processes.take('call_beside')
  taken.tellDelay(70)
  assert.equal(calls.processes.longestDelayMs, 70)
  assert.ok(calls.processes.count >= 1)
  calls.processes.giveBack(taken, 'call_beside')
})
