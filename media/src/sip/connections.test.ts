import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, Socket } from 'node:net'
import { afterEach, test } from 'node:test'
import { SipTest } from '../../testing/sip-call.ts'
import { writtenBy } from '../../testing/sip-flood.ts'
import { openFence, until } from '../../testing/sip-peer.ts'

const run = new SipTest()
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await run.stop()
})

const fences = [openFence]
const options = writtenBy('OPTIONS', 1, { address: '127.0.0.1', port: 5060 }).replace('UDP', 'TCP')

async function connected(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' })
  sockets.push(socket)
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

test('a connection that asks and does not read its answers is cut, and others are served', async () => {
  const limits = { messagesPerS: 100_000, newRequestsPerS: 100_000 }
  const { server } = await run.server({ fences: () => fences, limits })
  const deaf = await connected(server.port)
  deaf.pause()
  // What is asked is sent back at length.
  const vias = `Via: SIP/2.0/TCP 127.0.0.1;branch=z9hG4bK${'x'.repeat(7_000)}\r\n`.repeat(6)
  const long = options.replace('\r\n', `\r\n${vias}`)
  const asking = setInterval(() => deaf.write(long.repeat(10)), 5)
  await until(() => server.stats.connections === 1)
  await until(() => server.stats.connections === 0)
  clearInterval(asking)
  const other = await connected(server.port)
  other.write(options)
  assert.match(String((await once(other, 'data'))[0]), /^SIP\/2\.0 200 OK\r\n/)
})

test('a connection that is idle for a quarter of an hour is closed', async (context) => {
  const patienceMs: number[] = []
  // The time passes at once, and nothing else changes.
  context.mock.method(Socket.prototype, 'setTimeout', function (this: Socket, ms: number, over?: () => void) {
    patienceMs.push(ms)
    if (over) setImmediate(over)
    return this
  })
  const { server } = await run.server({ fences: () => fences })
  await connected(server.port)
  await until(() => patienceMs.length === 1 && server.stats.connections === 0)
  assert.deepEqual(patienceMs, [15 * 60_000])
})
