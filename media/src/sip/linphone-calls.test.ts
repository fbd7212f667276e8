import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { missing } from '@switchroom/tools/debian-packages'
import { startBaresip } from '../../testing/baresip.ts'
import { type Linphone, startLinphone } from '../../testing/linphone.ts'
import { hears, legOf, soundServer, speak } from '../../testing/secure-call.ts'
import { never, openFence, trunkTo, until } from '../../testing/sip-peer.ts'
import { bridge } from '../sound/bridge.ts'
import type { SipOptions } from './server.ts'

const options = { skip: missing('linphonec'), timeout: 90_000 }

async function calledBy(t: TestContext, phone: Linphone, server: Partial<SipOptions> = {}) {
  const fences = [openFence]
  const near = await soundServer(t, { fences: () => fences, ...server })
  phone.type(`call sip:+34911222333@127.0.0.1:${near.server.port}`)
  await until(() => near.calls.length > 0)
  const call = await near.calls[0]
  assert.ok(call, phone.said())
  return { call, leg: await legOf(t, call) }
}

for (const [encryption, kind] of [
  ['srtp', 'sdes'],
  ['dtls', 'dtls'],
] as const)
  test(`linphone that insists on ${encryption} calls, and hears and is heard`, options, async (t) => {
    const phone = await startLinphone(t, encryption)
    const { call, leg } = await calledBy(t, phone)
    assert.equal(call.terms.security?.kind, kind)
    speak(t, leg)
    await hears(leg)
    await until(phone.hasHeard)
  })

test('linphone calls, presses keys, holds for two minutes, resumes and hangs up', options, async (t) => {
  const phone = await startLinphone(t, 'none')
  const { call, leg } = await calledBy(t, phone)
  speak(t, leg)
  await hears(leg)
  await until(phone.hasHeard)
  let pressed = ''
  leg.onTone((digit) => (pressed += digit))
  for (const key of ['4', '2', '#']) phone.type(key)
  await until(() => pressed.length === 3)
  assert.equal(pressed, '42#')

  const held: boolean[] = []
  leg.onHold((isHeld) => held.push(isHeld))
  phone.type('pause')
  await until(() => held.at(-1) === true)
  for (let frame = 0; frame < (120 * 1000) / 20; frame += 1) leg.tick()
  phone.type('resume')
  await until(() => held.at(-1) === false)
  await hears(leg)
  phone.type('terminate')
  assert.equal(await call.ended, 'hangup')
})

test('linphone that presses keys by INFO is understood', options, async (t) => {
  const phone = await startLinphone(t, 'none', false, { sip: ['use_info=1', 'use_rfc2833=0'] })
  const { leg } = await calledBy(t, phone)
  await hears(leg)
  let pressed = ''
  leg.onTone((digit) => (pressed += digit))
  for (const key of ['1', '*', '9']) phone.type(key)
  await until(() => pressed.length === 3)
  assert.equal(pressed, '1*9')
})

test('linphone that declines is reported as 603', options, async (t) => {
  const phone = await startLinphone(t, 'none', false, { answers: false })
  const near = await soundServer(t)
  const dialled = near.server.invite('peer', trunkTo(phone.port), '+34600111222', never)
  dialled.catch(() => {})
  await until(() => /Receiving new incoming call|is contacting you/.test(phone.said()))
  phone.type('terminate')
  await assert.rejects(dialled, { status: 603 })
})

test(
  'linphone, which called, is sent on to baresip, and the call here ends',
  { ...options, skip: options.skip || missing('baresip') },
  async (t) => {
    const [phone, other] = await Promise.all([startLinphone(t, 'none'), startBaresip(t, '')])
    const { call, leg } = await calledBy(t, phone)
    await hears(leg)
    await call.refer(`sip:peer@127.0.0.1:${other.port}`).catch((error: unknown) => {
      throw new Error(phone.said(), { cause: error })
    })
    assert.equal(await call.ended, 'hangup')
    await until(() => /Call established/.test(other.said()))
  },
)

test(
  'linphone, which called, and baresip, which is dialled for it, are joined: linphone hears itself by way of baresip',
  { ...options, skip: options.skip || missing('baresip') },
  async (t) => {
    const [phone, other] = await Promise.all([startLinphone(t, 'none'), startBaresip(t, '')])
    const { call, leg } = await calledBy(t, phone)
    const near = await soundServer(t)
    const second = await near.server.invite('peer', trunkTo(other.port), '+34600111222', never)
    const joined = bridge(leg, await legOf(t, second))
    await until(phone.hasHeard)
    phone.type('terminate')
    assert.equal(await call.ended, 'hangup')
    await joined
  },
)
