import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { until } from '@switchroom/launcher/testing/waiting'

const program = fileURLToPath(new URL('main.ts', import.meta.url))

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

const childrenOf = (parent: number) =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number(read(`/proc/${pid}/stat`).split(') ')[1]?.split(' ')[1]) === parent)

/** Processes under this one that have loaded the model that tells speech from noise. */
const loadedUnder = (parent: number) =>
  childrenOf(parent).filter((pid) => read(`/proc/${pid}/maps`).includes('local-inference'))

test('a worker says that it takes calls, to its launcher and to the gateway, only once its processes have loaded their models; they and the programs of this machine end when it is killed', async (t) => {
  const { promise: beat, resolve } = Promise.withResolvers<number>()
  const gateway = createServer((request, response) => {
    const path = request.url ?? ''
    if (path.startsWith('/v1/worker/beats') || path.startsWith('/v1/worker/placements'))
      resolve(loadedUnder(worker.pid ?? 0).length)
    response.statusCode = 503
    response.end('{}')
  }).listen(0, '127.0.0.1')
  await once(gateway, 'listening')
  t.after(() => gateway.close())
  const inherited = Object.entries(process.env).filter(([name]) => !/^(SVC_|NODE_TEST_)/.test(name))
  const worker = spawn(process.execPath, [program], {
    env: {
      ...Object.fromEntries(inherited),
      SVC_GATEWAY_URL: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`,
      SVC_FLEET_KEY: 'svc_fleet_x',
      SVC_SIP_PORT: '0',
      SVC_WORKER_CALLS: '2',
      SVC_CALLS_PER_PROCESS: '1',
      SVC_LOG_LEVEL: 'silent',
    },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  t.after(() => worker.kill('SIGKILL'))
  const ready = new Promise<number>((settle) => {
    worker.on('message', (message) => {
      if (message === 'ready') settle(loadedUnder(worker.pid ?? 0).length)
    })
  })
  assert.deepEqual([await beat, await ready], [2, 2])
  const children = childrenOf(worker.pid ?? 0)
  const countOf = (name: string) =>
    children.filter((pid) => read(`/proc/${pid}/cmdline`).includes(name)).length
  assert.deepEqual(['call-process', 'local-voice', 'hearing'].map(countOf), [2, 1, 1])
  worker.kill('SIGKILL')
  const isLeft = (pid: number) => read(`/proc/${pid}/cmdline`) !== ''
  await until('all of them are gone', () => !children.some(isLeft), 60_000)
})
