import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { until } from '@switchroom/launcher/testing/waiting'
import { RtpPhone } from '@switchroom/media/testing/rtp-phone'
import { CallProcessHandle } from './call-process-handle.ts'
import { PhoneLegs } from './phone-legs.ts'
import type { CallTask } from '../process-messages.ts'
import { HeldPort } from './held-port.ts'

const program = join(import.meta.dirname, '..', '..', 'testing', 'tone-process.ts')

test('keys that a caller presses from the answer on are heard, also if the process of the call has the port later', async (t) => {
  const child = fork(program)
  t.after(() => child.kill('SIGKILL'))
  const pressed: string[] = []
  const legs = new PhoneLegs()
  child.on('message', (message: { type: string; leg: string; digit: string; failure: string | null }) => {
    if (message.type === 'leg.opened') legs.opened(message.leg, message.failure)
    if (message.type === 'tone') pressed.push(message.digit)
  })
  await once(child, 'spawn')
  const process = new CallProcessHandle(child)
  const phone = await RtpPhone.ring()
  t.after(() => phone.close())
  const held = new HeldPort()
  await held.bind(phone.terms)

  child.kill('SIGSTOP')
  for (let time = 0; time < 60; time += 1) phone.press(9, 900 + time) // more than is kept
  phone.press(1, 1_000, true)
  await new Promise((resolve) => setTimeout(resolve, 50))
  const opening = legs.open({ leg: 'leg_1', call: 'call_1', process }, phone.terms, held)
  await new Promise((resolve) => setTimeout(resolve, 50))
  phone.press(2, 4_000, true) // nothing reads the port
  await new Promise((resolve) => setTimeout(resolve, 50))
  child.kill('SIGCONT')
  await opening
  const task = { kind: 'phone', leg: 'leg_1', terms: phone.terms } as CallTask
  process.send({ type: 'run', task })
  await until('all were heard', () => pressed.length === 3, 30_000)
  assert.deepEqual(pressed, ['9', '1', '2'])

  const next = new HeldPort()
  await assert.rejects(
    next.bind(phone.terms),
    /^MediaError: the port \d+ for sound could not be opened: EADDRINUSE$/,
  )
})

test('a port that is released is free, and one that nothing came to is released alike', async () => {
  const phone = await RtpPhone.ring()
  for (let time = 0; time < 2; time += 1) {
    const held = new HeldPort()
    await held.bind(phone.terms)
    await held.release()
    await held.release()
  }
  phone.close()
})
