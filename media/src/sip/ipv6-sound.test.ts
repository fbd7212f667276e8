import assert from 'node:assert/strict'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import { hears, legOf, soundServer, speak } from '../../testing/secure-call.ts'
import { never, trunkTo } from '../../testing/sip-peer.ts'

const hasIPv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
)
const skip = hasIPv6 ? false : 'this machine has no IPv6'

for (const encryption of ['off', 'required'] as const)
  test(`a call over IPv6 has its sound over IPv6, with encryption ${encryption}`, { skip }, async (t) => {
    const both = { host: '::', publicAddress6: '::1', isLocalAllowed: true }
    const [near, far] = [await soundServer(t, both), await soundServer(t, both)]
    const trunk = { ...trunkTo(far.server.port), hostname: `[::1]:${far.server.port}`, encryption }
    const dialled = await near.server.invite('sip:hello@[::1]', trunk, '+34600111222', never)
    const answered = await far.calls[0]
    assert.ok(answered)
    assert.deepEqual([dialled.terms.remoteAddress, answered.terms.remoteAddress], ['::1', '::1'])
    const [one, other] = [await legOf(t, dialled), await legOf(t, answered)]
    speak(t, one)
    speak(t, other)
    await Promise.all([hears(one), hears(other)])
  })
