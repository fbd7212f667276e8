import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { afterEach, test } from 'node:test'
import { SipTest } from '../../testing/sip-call.ts'
import { never, trunkTo, until } from '../../testing/sip-peer.ts'

const run = new SipTest()
afterEach(() => run.stop())

const [to, from] = ['+34911222333', '+34600111222']

test('a connection that we opened is kept alive with blank lines, and one whose answers stop is closed and opened anew', async (t) => {
  let isAnswering = true
  const taken: Socket[] = []
  let pings = 0
  const far = createServer((socket) => {
    taken.push(socket)
    socket
      .on('error', () => {})
      .on('data', (bytes: Buffer) => {
        const text = String(bytes)
        if (text.startsWith('\r\n\r\n')) pings++
        if (text.startsWith('\r\n\r\n') && isAnswering) socket.write('\r\n')
        if (!text.includes('INVITE sip:')) return
        const kept = text.split('\r\n').filter((line) => /^(Via|From|To|Call-ID|CSeq):/.test(line))
        socket.write(['SIP/2.0 486 Busy', ...kept, 'Content-Length: 0', '', ''].join('\r\n'))
      })
  }).listen(0, '127.0.0.1')
  await once(far, 'listening')
  t.after(() => far.close())
  const address = far.address()
  assert.ok(address && typeof address === 'object')
  const { server } = await run.server({ timing: { keepAliveMs: 1_200 } })
  const dial = () => server.invite(to, trunkTo(address.port, 'tcp'), from, never)
  await assert.rejects(dial(), { status: 486 })
  await until(() => pings >= 2)
  assert.deepEqual([taken.length, server.stats.connections], [1, 1])
  isAnswering = false
  await until(() => server.stats.connections === 0)
  await assert.rejects(dial(), { status: 486 })
  assert.equal(taken.length, 2)
})
