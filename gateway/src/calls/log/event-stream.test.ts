import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, get, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import type { FastifyReply } from 'fastify'
import { until } from '../../../testing/until.ts'
import { EventStream, type EventStreamParts } from './event-stream.ts'
import { Relay } from './relay.ts'
import type { LiveLogs, Watcher } from './live-logs.ts'

/** A person who asks for a stream, and the answer that waits for it. */
async function asked(t: TestContext) {
  const server = createServer().listen(0, '127.0.0.1')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const asker = get({ port, host: '127.0.0.1', agent: false }).on('error', () => {})
  const [, raw] = (await once(server, 'request')) as [unknown, ServerResponse]
  return { asker, raw }
}

function streamOn(raw: ServerResponse) {
  const open = new Set<unknown>()
  const reply = { raw, hijack: () => {}, headers: (all: object) => ({ getHeaders: () => all }) }
  let released = 0
  const release = () => (released += 1)
  const caller = { org: 'org', env: 'sandbox' }
  const opening = { caller, access: {}, agent: null, connections: open, release }
  const stream = new EventStream(reply as unknown as FastifyReply, opening as unknown as EventStreamParts)
  return { stream, open, released: () => released }
}

test('a reader that disconnects before the stream begins is sent nothing and leaves nothing behind', async (t) => {
  const { asker, raw } = await asked(t)
  asker.destroy()
  await once(raw, 'close')
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { stream, open, released } = streamOn(raw)
  assert.deepEqual([stream.isOver, open.size, released()], [true, 0, 1])
  let tell: Watcher = () => {}
  const relay = new Relay({ watch: (watcher: Watcher) => (tell = watcher) } as unknown as LiveLogs)
  relay.read(stream, undefined)
  let isPassed = false
  stream.send = () => (isPassed = true)
  const log = { id: 'call', org: 'org', env: 'sandbox', agent: 'desk', call: 'call' } as const
  const entry = { seq: 1, type: 'error', entry: '{"data":{}}', isEphemeral: false, frame: Buffer.alloc(0) }
  tell(log, entry)
  t.mock.timers.tick(120_000)
  assert.equal(isPassed, false)
})

test('a reader that does not take the end of its stream is disconnected too', async (t) => {
  const { raw } = await asked(t)
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { stream, open } = streamOn(raw)
  t.mock.method(raw, 'end', () => raw) // what the other side does not take is never at its end
  stream.end()
  t.mock.timers.tick(30_000)
  assert.equal(raw.destroyed, false)
  t.mock.timers.tick(30_000)
  await until('it is disconnected', () => open.size === 0)
})
