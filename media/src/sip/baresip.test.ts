import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missing } from '@switchroom/tools/debian-packages'
import { startBaresip } from '../../testing/baresip.ts'
import { hears, legOf, soundServer, speak } from '../../testing/secure-call.ts'
import { never, openFence, trunkTo, until } from '../../testing/sip-peer.ts'

// The phone says back what it hears: who hears itself was decrypted and encrypted there.

const skip = missing('baresip')

for (const [encryption, ours, kind] of [
  ['', 'offered', undefined],
  ['srtp', 'required', 'sdes'],
  ['srtp-mand', 'required', 'sdes'],
  ['srtp-mand', 'offered', 'sdes'],
  ['dtls_srtp', 'required', 'dtls'],
  ['dtls_srtp', 'offered', 'dtls'],
] as const)
  test(
    `baresip with ${encryption || 'no encryption'} is dialled with ${ours}, and hears and is heard ${kind ?? 'in the clear'}`,
    { skip, timeout: 60_000 },
    async (t) => {
      const phone = await startBaresip(t, encryption)
      const near = await soundServer(t)
      const trunk = { ...trunkTo(phone.port), encryption: ours }
      const call = await near.server.invite('peer', trunk, '+34600111222', never).catch((error: unknown) => {
        throw new Error(phone.said(), { cause: error })
      })
      assert.equal(call.terms.security?.kind, kind)
      const leg = await legOf(t, call)
      speak(t, leg)
      await hears(leg)
    },
  )

for (const [encryption, ours, kind] of [
  ['srtp-mand', undefined, 'sdes'],
  ['srtp', 'offered', 'sdes'],
  ['srtp-mandf', 'required', 'sdes'],
  ['dtls_srtp', undefined, 'dtls'],
  ['dtls_srtp', 'required', 'dtls'],
] as const)
  test(
    `baresip calls with ${encryption} where ${ours ?? 'nothing'} is said, and hears and is heard`,
    { skip, timeout: 60_000 },
    async (t) => {
      const fences = [{ ...openFence, ...(ours && { encryption: ours }) }]
      const near = await soundServer(t, { fences: () => fences })
      const phone = await startBaresip(t, encryption)
      phone.type(`/dial sip:+34911222333@127.0.0.1:${near.server.port}\n`)
      await until(() => near.calls.length > 0)
      const call = await near.calls[0]
      assert.ok(call)
      assert.equal(call.terms.security?.kind, kind)
      const leg = await legOf(t, call)
      speak(t, leg)
      await hears(leg)
    },
  )
