import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missing } from '@switchroom/tools/debian-packages'
import { startLinphone } from '../../testing/linphone.ts'
import { hears, legOf, soundServer, speak } from '../../testing/secure-call.ts'
import { never, trunkTo, until } from '../../testing/sip-peer.ts'

const options = { skip: missing('linphonec'), timeout: 90_000 }

for (const codec of ['G722', 'opus'] as const)
  test(`linphone that speaks ${codec} alone is dialled, and hears and is heard`, options, async (t) => {
    const phone = await startLinphone(t, 'none')
    phone.type('codec disable all')
    const listed = new RegExp(`^ *(\\d+): ${codec} `, 'm')
    await until(() => listed.test(phone.said()))
    phone.type(`codec enable ${listed.exec(phone.said())?.[1]}`)
    await until(() => new RegExp(`: ${codec} \\(\\d+\\) enabled`).test(phone.said()))
    const near = await soundServer(t)
    const dialled = near.server.invite('peer', trunkTo(phone.port), '+34600111222', never)
    const call = await dialled.catch((error: unknown) => {
      throw new Error(phone.said(), { cause: error })
    })
    assert.equal(call.terms.codec, codec)
    const leg = await legOf(t, call)
    speak(t, leg)
    await hears(leg)
    await until(phone.hasHeard)
  })
