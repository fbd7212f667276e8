import assert from 'node:assert/strict'
import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { test } from 'node:test'
import { freePort } from '@switchroom/launcher/testing/free-port'
import { serveHealth } from './health.ts'

const host = '127.0.0.1'

test('a worker says that it runs, and whether it takes calls, at a port of its own', async (t) => {
  let why: string | undefined = 'this worker is starting'
  const port = await freePort()
  t.after(await serveHealth({ host, port }, () => why))
  const ask = async (path: string) => {
    const answer = await fetch(`http://${host}:${port}${path}`)
    return [answer.status, await answer.json()]
  }
  assert.deepEqual(await ask('/healthz'), [200, { status: 'ok' }])
  assert.deepEqual(await ask('/readyz'), [503, { detail: 'this worker is starting' }])
  why = undefined
  assert.deepEqual(await ask('/readyz'), [200, { status: 'ok' }])
  assert.deepEqual(await ask('/'), [404, { detail: '/healthz and /readyz are all that is served here' }])
})

test('a port that is taken keeps the worker from starting, and the sentence names the setting', async (t) => {
  const other = createServer().listen(0, host)
  t.after(() => other.close())
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  await assert.rejects(
    serveHealth({ host, port }, () => undefined),
    { message: `port ${port} on ${host} is taken: stop what listens there, or set SVC_WORKER_HEALTH_PORT` },
  )
})
