import assert from 'node:assert/strict'
import dgram, { type Socket } from 'node:dgram'
import { syncBuiltinESMExports } from 'node:module'
import { afterEach, test } from 'node:test'
import { ours, SipTest } from '../../testing/sip-call.ts'
import { offerOf, openFence } from '../../testing/sip-peer.ts'

const run = new SipTest()
afterEach(() => run.stop())

test('what is forged to come from port 0, to which nothing can be sent, is not looked at', async (context) => {
  const sockets: Socket[] = []
  const { createSocket } = dgram
  const watched = context.mock.method(dgram, 'createSocket', (options: dgram.SocketOptions) => {
    const socket = createSocket(options)
    sockets.push(socket)
    return socket
  })
  syncBuiltinESMExports()
  const fences = [openFence]
  const { server, invites, sentences } = await run.server({ fences: () => fences })
  watched.mock.restore()
  syncBuiltinESMExports()
  const peer = await run.peer(server)
  const invite = peer.write({ method: 'INVITE', to: ours, body: offerOf(4000) })
  // no socket of this machine sends from there, but a packet may say that it does
  const from = { address: '127.0.0.1', family: 'IPv4', port: 0, size: invite.length }
  sockets[0]?.emit('message', Buffer.from(invite), from)
  await peer.settle()
  assert.deepEqual(
    [invites.length, server.stats.ringing, server.stats.transactions, sentences],
    [0, 0, 0, []],
  )
})
