import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { WorkerFence, WorkerFences } from '@switchroom/contract/media-plane'
import type { Environment } from '@switchroom/contract/scopes'
import { until } from '@switchroom/launcher/testing/waiting'
import { pino } from 'pino'
import { Fences } from './fences.ts'
import type { GatewayClient } from '../gateway-client.ts'

const fence = (name: string, ...numbers: string[]): WorkerFence => ({
  name,
  networks: ['203.0.113.0/24'],
  numbers: numbers.length > 0 ? numbers : ['+34911222333'],
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
    this.answer(env, { version, fences: names.map((name) => fence(name)) })
  }

  answer(env: Environment, answer: WorkerFences) {
    this.#waiting.get(env)?.resolve(answer)
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

test('what is different since the version that the worker has is added to its fences, and nothing different leaves them as they are', async (t) => {
  const { gateway, fences, asksAgain } = follow(t)
  gateway.tell('sandbox', 'v1', 'one', 'two', 'three')
  await asksAgain(2)
  gateway.answer('sandbox', {
    version: 'v2',
    changed: [fence('two', '+34911000002'), fence('four')],
    removed: ['one', 'never there'],
  })
  await asksAgain(3)
  assert.deepEqual(fences.all, [fence('two', '+34911000002'), fence('three'), fence('four')])
  const before = fences.all
  gateway.answer('sandbox', { version: 'v2', changed: [], removed: [] })
  await asksAgain(4)
  assert.equal(fences.all, before) // so that the table of networks is not made again
  gateway.tell('sandbox', 'v9', 'five')
  await asksAgain(5)
  assert.deepEqual(fences.all, [fence('five')])
  assert.deepEqual(
    gateway.asked.map(([, known]) => known),
    [undefined, 'v1', 'v2', 'v2', 'v9'],
  )
})

test('of two gateways that do not know the versions of each other, neither is asked again at once for what is nothing new', async (t) => {
  const pauseWithoutNewsMs = 300
  const { gateway, asksAgain } = follow(t, { pauseWithoutNewsMs })
  gateway.tell('sandbox', 'of one', 'fence')
  await asksAgain(2)
  const answeredAt = performance.now()
  gateway.tell('sandbox', 'of the other', 'fence')
  await asksAgain(3)
  assert.ok(performance.now() - answeredAt > pauseWithoutNewsMs - 50)
})

function follow(t: TestContext, timing?: { pauseWithoutNewsMs: number }) {
  const gateway = new TellingGateway()
  const fences = new Fences(timing)
  const stop = new AbortController()
  t.after(() => stop.abort())
  const logger = pino({ level: 'silent' })
  void fences.follow(gateway as unknown as GatewayClient, 'sandbox', logger, stop.signal)
  const asksAgain = (times: number) => until('it asks again', () => gateway.asked.length === times)
  return { gateway, fences, asksAgain }
}
