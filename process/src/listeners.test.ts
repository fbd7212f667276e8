import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { test } from 'node:test'
import { Listeners, ListenError } from './listeners.ts'

/** What Fastify makes, of a bare HTTP server. */
function makeServer(answer: (response: ServerResponse) => unknown) {
  const server = createServer((_request, response) => void answer(response))
  return {
    server,
    listen: async ({ host, port }: { host: string; port: number }) => {
      server.listen(port, host)
      await once(server, 'listening')
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

const local = { host: '127.0.0.1', setting: 'SVC_PORT', hostSetting: 'SVC_HOST' }

test('requests under way are finished, and new connections are refused', async () => {
  const listeners = new Listeners()
  const asked = Promise.withResolvers<void>()
  const finish = Promise.withResolvers<void>()
  const server = makeServer(async (response) => {
    asked.resolve()
    await finish.promise
    response.end('whole')
  })
  const url = `http://127.0.0.1:${await listeners.open(server, { ...local, port: 0 })}`
  const answer = fetch(url)
  await asked.promise
  const closed = listeners.close(60_000)
  await assert.rejects(fetch(url))
  finish.resolve()
  assert.equal(await (await answer).text(), 'whole')
  await closed
})

test('a request that takes longer than the grace is cut off', async () => {
  const listeners = new Listeners()
  const asked = Promise.withResolvers<void>()
  const port = await listeners.open(
    makeServer(() => asked.resolve()),
    { ...local, port: 0 },
  )
  const answer = fetch(`http://127.0.0.1:${port}`)
  await asked.promise
  await Promise.all([assert.rejects(answer), listeners.close(50)])
})

test('a port that cannot be opened is one sentence that names the setting', async () => {
  const listeners = new Listeners()
  const port = await listeners.open(
    makeServer(() => {}),
    { ...local, port: 0 },
  )
  const second = listeners.open(
    makeServer(() => {}),
    { ...local, port },
  )
  await assert.rejects(second, (error) => {
    assert.ok(error instanceof ListenError && error.isPortTaken)
    assert.equal(
      error.message,
      `port ${port} on 127.0.0.1 is taken: stop what listens there, or set SVC_PORT`,
    )
    return true
  })
  await assert.rejects(
    listeners.open(
      makeServer(() => {}),
      { ...local, host: '203.0.113.7', port: 0 },
    ),
    {
      message: 'nothing can listen on 203.0.113.7: set SVC_HOST to an address of this machine',
    },
  )
  await listeners.close(0)
})
