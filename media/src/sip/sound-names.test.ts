import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { ours, SipTest } from '../../testing/sip-call.ts'
import { offerOf } from '../../testing/sip-peer.ts'
import { header } from './message.ts'

const run = new SipTest()
afterEach(() => run.stop())

const named = (name = 'Phone.example', port = 4000) =>
  offerOf(port).replace('c=IN IP4 127.0.0.1', `c=IN IP4 ${name}`)

test('sound at a name goes to its address, which is asked for once', async () => {
  const asked: string[] = []
  const findAddress = async (name: string) => {
    asked.push(name)
    return '127.0.0.9'
  }
  const { server, calls } = await run.answering({ findAddress })
  const peer = await run.peer(server)
  const invite = peer.write({ method: 'INVITE', to: ours, body: named() })
  for (let said = 0; said < 5; said++) peer.send(invite)
  const answer = await peer.status(200)
  peer.request({ method: 'ACK', to: ours, headers: { To: header(answer, 'to') ?? '' } })
  assert.equal((await calls[0])?.terms.remoteAddress, '127.0.0.9')
  assert.deepEqual([asked, calls.length], [['Phone.example'], 1])
})

test('a name is no way around the addresses that nothing may be sent to', async () => {
  const { server, calls } = await run.answering({
    findAddress: async () => '10.0.0.1',
    mayDial: () => false,
  })
  const peer = await run.peer(server)
  peer.request({ method: 'INVITE', to: ours, body: named() })
  const answer = await peer.status(200)
  peer.request({ method: 'ACK', to: ours, headers: { To: header(answer, 'to') ?? '' } })
  assert.equal((await calls[0])?.terms.remoteAddress, '127.0.0.1')
})

test('sound at a name that has no address, or not in time, is refused in words', async () => {
  for (const findAddress of [
    () => Promise.reject(new Error('no such name')),
    () => new Promise<never>(() => {}),
  ]) {
    const { server, calls } = await run.answering({ findAddress })
    const peer = await run.peer(server)
    peer.request({ method: 'INVITE', to: ours, body: named() })
    const refusal = await peer.status(488)
    assert.match(header(refusal, 'warning') ?? '', /no name that has one"$/)
    assert.equal(calls.length, 0)
  }
})

test('what comes of a call while a name is looked for waits its turn, and other calls do not', async () => {
  const found = Promise.withResolvers<string>()
  const { server, invites } = await run.server(
    { findAddress: () => found.promise, isLocalAllowed: true },
    (invite) => invite.ring(),
  )
  const peer = await run.peer(server)
  const via = `SIP/2.0/UDP 127.0.0.1:${peer.port};rport;branch=z9hG4bKnamed`
  const to = 'sip:agent@127.0.0.1'
  peer.request({ method: 'INVITE', to, body: named(), headers: { Via: via } })
  peer.request({ method: 'CANCEL', to, headers: { Via: via } })
  const other = await run.peer(server)
  other.request({ method: 'INVITE', to, body: offerOf(4000) })
  await other.status(180)
  assert.deepEqual([peer.heard, invites.length], [[], 1])
  found.resolve('127.0.0.9')
  await peer.status(487)
})

test('a name that is none is not asked for', async () => {
  const asked: string[] = []
  const findAddress = async (name: string) => {
    asked.push(name)
    return '127.0.0.9'
  }
  const { server } = await run.answering({ findAddress })
  for (const name of ['a b', '-x', 'x'.repeat(300), '1.2.3', '%00', 'ex\u0000ample', '../../etc', '{}', '']) {
    const peer = await run.peer(server)
    peer.request({ method: 'INVITE', to: ours, body: named(name) })
    await peer.status(488)
  }
  assert.deepEqual(asked, [])
})
