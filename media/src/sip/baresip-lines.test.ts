import assert from 'node:assert/strict'
import { isIPv6 } from 'node:net'
import { networkInterfaces } from 'node:os'
import { test, type TestContext } from 'node:test'
import { sine, strengthOf } from '@switchroom/audio/testing/tones'
import { missing } from '@switchroom/tools/debian-packages'
import { type Baresip, startBaresip } from '../../testing/baresip.ts'
import { legOf, soundServer } from '../../testing/secure-call.ts'
import { never, openFence, trunkTo, until } from '../../testing/sip-peer.ts'
import type { RtpLeg } from '../rtp/rtp-leg.ts'
import type { SipOptions } from './server.ts'

// The phone says back what it hears.

const options = { skip: missing('baresip'), timeout: 60_000 }
const hz = 1000

/** Until a tone that is played has come back. */
async function echoes(leg: RtpLeg): Promise<void> {
  const timer = setInterval(() => void leg.play(sine(hz, 1600)), 200)
  try {
    for await (const frame of leg.heard()) if (strengthOf(hz, frame) > 0.4) return
    assert.fail('the tone never came back')
  } finally {
    clearInterval(timer)
    leg.clear()
  }
}

async function calledBy(t: TestContext, phone: Baresip, host: string, server: Partial<SipOptions> = {}) {
  const fences = [openFence]
  const near = await soundServer(t, { fences: () => fences, ...server })
  phone.type(`/dial sip:${server.isLocalAllowed ? 'hello' : '+34911222333'}@${host}:${near.server.port}\n`)
  await until(() => near.calls.length > 0)
  const call = await near.calls[0]
  assert.ok(call)
  return { call, leg: await legOf(t, call) }
}

for (const ptimeMs of [10, 30, 40, 60])
  test(`baresip that sends and wants ${ptimeMs} ms a packet hears and is heard`, options, async (t) => {
    const phone = await startBaresip(t, '', { account: `;ptime=${ptimeMs}` })
    const { call, leg } = await calledBy(t, phone, '127.0.0.1')
    assert.equal(call.terms.ptimeMs, ptimeMs === 10 || ptimeMs === 30 ? 20 : ptimeMs)
    await echoes(leg)
  })

test(
  'baresip that holds a call for two minutes is not hung up on, resumes and hangs up',
  options,
  async (t) => {
    const phone = await startBaresip(t, '')
    const { call, leg } = await calledBy(t, phone, '127.0.0.1', {
      timing: { pingEveryMs: 200, t1Ms: 50, t2Ms: 100, t4Ms: 50 },
    })
    const held: boolean[] = []
    leg.onHold((isHeld) => held.push(isHeld))
    await echoes(leg)
    phone.type('x')
    await until(() => held.at(-1) === true)
    for (let frame = 0; frame < (120 * 1000) / 20; frame += 1) leg.tick()
    const state = Promise.race([
      call.ended,
      new Promise((resolve) => setTimeout(resolve, 1_500, 'in a call')),
    ])
    assert.equal(await state, 'in a call')
    phone.type('X')
    await until(() => held.at(-1) === false)
    phone.type('b')
    assert.equal(await call.ended, 'hangup')
  },
)

test('baresip reads the keys that are sent to it as telephone events and by INFO', options, async (t) => {
  const phone = await startBaresip(t, '')
  const { call, leg } = await calledBy(t, phone, '127.0.0.1')
  await echoes(leg)
  await call.sendInfoTone('7')
  await until(() => /received DTMF: '7'/.test(phone.said()))
  await leg.sendTones('42#')
  await until(() => /4[\s\S]*2[\s\S]*#/.test(phone.said().split("received DTMF: '7'")[1] ?? ''))
})

const hasIPv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
)

test(
  'baresip calls over IPv6 and is dialled over IPv6, with its sound there too',
  { ...options, skip: options.skip || (hasIPv6 ? false : 'this machine has no IPv6') },
  async (t) => {
    const both = { host: '::', publicAddress6: '::1', isLocalAllowed: true }
    const phone = await startBaresip(t, '', { address: '::1' })
    const { call, leg } = await calledBy(t, phone, '[::1]', both)
    assert.ok(isIPv6(call.terms.remoteAddress))
    await echoes(leg)
    await call.bye()
    const near = await soundServer(t, both)
    const trunk = { ...trunkTo(0), hostname: `[::1]:${phone.port}` }
    const dialled = await near.server.invite('peer', trunk, '+34600111222', never)
    assert.ok(isIPv6(dialled.terms.remoteAddress))
    await echoes(await legOf(t, dialled))
  },
)
