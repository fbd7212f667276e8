import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { missing } from '@switchroom/tools/debian-packages'
import { SipTest } from '../../testing/sip-call.ts'
import { never, openFence, trunkTo, until } from '../../testing/sip-peer.ts'
import { runSipp } from '../../testing/sip-sipp.ts'
import { SipRefused, type SipDialog, type SipServer, type SipTrunk } from './server.ts'

// Measures time: what a phone hears and when, on calls of a second or two.

const run = new SipTest()
afterEach(() => run.stop())

const pair = { username: 'peer', password: 'secret' }
const skip = missing('sipp')
const went = { status: 0, said: '' }

async function answeredBy(server: SipServer, trunk: SipTrunk): Promise<SipDialog> {
  let call: SipDialog | undefined
  // It may not listen yet.
  while (!call)
    call = await server.invite('+34911222333', trunk, '+34600111222', never).catch((error: unknown) => {
      if (error instanceof SipRefused && error.status === 408) return undefined
      throw error
    })
  return call
}

for (const [transport, mode] of [
  ['udp', 'u1'],
  ['tcp', 't1'],
] as const)
  test(`sipp calls over ${transport}, proves itself, holds and hangs up`, { skip }, async () => {
    const fences = [{ ...openFence, pair }]
    const { server, calls, ports } = await run.answering({ fences: () => fences })
    const to = ['-s', '+34911222333', `127.0.0.1:${server.port}`]
    const sipp = await runSipp('caller', [...to, '-t', mode, '-m', '20', '-r', '20'])
    assert.deepEqual(await sipp.done, went)
    const ended = await Promise.all(calls.map(async (call) => (await call).ended))
    assert.deepEqual(
      ended,
      Array.from({ length: 20 }, () => 'hangup'),
    )
    assert.deepEqual([ports.size, server.stats.dialogs], [0, 0])
    assert.equal((await calls[0])?.terms.codec, 'PCMA')
  })

test('sipp takes calls back while they ring', { skip }, async () => {
  const fences = [openFence]
  const { server, invites } = await run.server({ fences: () => fences }, (invite) => invite.ring())
  const to = ['-s', '+34911222333', `127.0.0.1:${server.port}`]
  const sipp = await runSipp('refused', [...to, '-m', '10', '-r', '20'])
  assert.deepEqual(await sipp.done, went)
  assert.ok(invites.length === 10 && invites.every(({ signal }) => signal.aborted))
})

for (const [transport, mode] of [
  ['udp', 'u1'],
  ['tcp', 't1'],
] as const)
  test(
    `sipp insists over ${transport} on acknowledging that it rings, and agrees on the sound before the answer`,
    { skip },
    async () => {
      const { server, calls, ports } = await run.answering()
      const to = ['-s', '+34911222333', `127.0.0.1:${server.port}`]
      const sipp = await runSipp('reliable-caller', [...to, '-t', mode, '-m', '10', '-r', '20'])
      assert.deepEqual(await sipp.done, went)
      assert.equal(calls.length, 10)
      await Promise.all(calls.map(async (call) => (await call).ended))
      assert.deepEqual([ports.size, server.stats.dialogs, server.stats.ringing], [0, 0, 0])
    },
  )

test(
  'sipp is dialled as a carrier that wants its progress acknowledged, and whose answer describes nothing',
  { skip },
  async () => {
    const near = await run.server()
    const sipp = await runSipp('reliable-callee', ['-m', '1'])
    const call = await answeredBy(near.server, trunkTo(sipp.port))
    assert.equal(call.terms.codec, 'PCMA')
    await call.bye()
    assert.deepEqual(await sipp.done, went)
  },
)

test('sipp is dialled as a carrier that asks for proof, and sends its party on', { skip }, async () => {
  const near = await run.server()
  const sipp = await runSipp('callee', ['-m', '1'])
  const call = await answeredBy(near.server, trunkTo(sipp.port, 'udp', pair))
  assert.equal(call.terms.codec, 'PCMA')
  await call.refer('+34933444555')
  assert.equal(await call.ended, 'hangup')
  assert.deepEqual(await sipp.done, went)
  await until(() => near.server.stats.dialogs === 0)
})
