import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WorkerFences } from '@switchroom/contract/media-plane'
import type { Environment } from '@switchroom/contract/scopes'
import { until } from '@switchroom/launcher/testing/waiting'
import { pino } from 'pino'
import { Fences } from './fences.ts'
import type { GatewayClient } from '../gateway-client.ts'

const fence = (name: string): WorkerFences['fences'][number] => ({
  name,
  networks: ['203.0.113.0/24'],
  numbers: ['+34911222333'],
  pair: null,
  fleet: 'main',
})

/** A gateway that answers whenever the fences of an environment are others, or says that it is away. */
class TellingGateway {
  readonly asked: [Environment, string | undefined][] = []
  readonly #waiting = new Map<Environment, PromiseWithResolvers<WorkerFences>>()

  fences = (env: Environment, known: string | undefined) => {
    this.asked.push([env, known])
    const waiting = Promise.withResolvers<WorkerFences>()
    this.#waiting.set(env, waiting)
    return waiting.promise
  }

  tell(env: Environment, version: string, ...names: string[]) {
    this.#waiting.get(env)?.resolve({ version, fences: names.map(fence) })
  }

  isAway(env: Environment) {
    this.#waiting.get(env)?.reject(new Error('no response'))
  }
}

test('no source is admitted before the gateway says so, each environment counts beside the other, and the fences stay in force while it is away', async (t) => {
  const gateway = new TellingGateway()
  const fences = new Fences()
  const stop = new AbortController()
  t.after(() => stop.abort())
  const logger = pino({ level: 'silent' })
  for (const env of ['sandbox', 'production'] as const)
    void fences.follow(gateway as unknown as GatewayClient, env, logger, stop.signal)
  const names = () => fences.all.map(({ name }) => name).toSorted()
  const asksAgain = (times: number) => until('it asks again', () => gateway.asked.length === times)
  assert.deepEqual(names(), [])
  gateway.tell('sandbox', 'v1', 'test')
  await asksAgain(3)
  assert.deepEqual(names(), ['test'])
  gateway.tell('production', 'v7', 'live', 'other')
  await asksAgain(4)
  assert.deepEqual(names(), ['live', 'other', 'test'])
  gateway.isAway('production')
  await asksAgain(5)
  assert.deepEqual(names(), ['live', 'other', 'test'])
  gateway.tell('production', 'v8')
  await asksAgain(6)
  assert.deepEqual(names(), ['test'])
  assert.deepEqual(gateway.asked.slice(2), [
    ['sandbox', 'v1'],
    ['production', 'v7'],
    ['production', 'v7'],
    ['production', 'v8'],
  ])
})
