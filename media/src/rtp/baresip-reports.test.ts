import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missing } from '@switchroom/tools/debian-packages'
import { startBaresip } from '../../testing/baresip.ts'
import { legOf, soundServer, speak } from '../../testing/secure-call.ts'
import { never, trunkTo, until } from '../../testing/sip-peer.ts'

const skip = missing('baresip')

for (const encryption of ['', 'srtp-mand'])
  test(
    `baresip ${encryption ? 'that encrypts' : 'in the clear'} understands our reports and we understand its`,
    { skip, timeout: 60_000 },
    async (t) => {
      const phone = await startBaresip(t, encryption)
      const near = await soundServer(t)
      const trunk = { ...trunkTo(phone.port), ...(encryption && { encryption: 'required' as const }) }
      const call = await near.server.invite('peer', trunk, '+34600111222', never)
      const leg = await legOf(t, call)
      speak(t, leg)
      // a round trip is only known once it has answered a report of ours with one of its own
      await until(() => leg.line?.roundTripMs !== null)
      const { heard, sent, roundTripMs } = leg.line ?? {}
      assert.ok((heard?.expected ?? 0) > 50 && (sent?.expected ?? 0) > 50)
      assert.ok((sent?.lost ?? 0) < (sent?.expected ?? 0) / 2)
      assert.ok((roundTripMs ?? -1) >= 0 && (roundTripMs ?? 0) < 5000)
    },
  )
