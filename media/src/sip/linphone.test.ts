import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missing } from '@switchroom/tools/debian-packages'
import { startLinphone } from '../../testing/linphone.ts'
import { hears, legOf, soundServer, speak } from '../../testing/secure-call.ts'
import { never, trunkTo, until } from '../../testing/sip-peer.ts'

const options = { skip: missing('linphonec'), timeout: 90_000 }

for (const [encryption, ours, kind] of [
  ['none', 'offered', undefined],
  ['srtp', 'required', 'sdes'],
  ['srtp', 'offered', 'sdes'],
  ['dtls', 'required', 'dtls'],
] as const)
  test(`linphone with ${encryption} is dialled with ${ours}, and hears and is heard`, options, async (t) => {
    const phone = await startLinphone(t, encryption)
    const near = await soundServer(t)
    const trunk = { ...trunkTo(phone.port), encryption: ours }
    const call = await near.server.invite('peer', trunk, '+34600111222', never).catch((error: unknown) => {
      throw new Error(phone.said(), { cause: error })
    })
    assert.equal(call.terms.security?.kind, kind)
    const leg = await legOf(t, call)
    speak(t, leg)
    await hears(leg)
    await until(phone.hasHeard)
  })
