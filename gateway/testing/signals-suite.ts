import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Signals } from '../src/database/signals.ts'
import { range, said, TestLogs } from './calls/test-logs.ts'
import { startDeployment, type Deployment } from './deployment.ts'
import { until } from './until.ts'

export interface SignalsUnderTest {
  /** Of every gateway. */
  settings: Record<string, string>
  /** Signals of one more gateway, before their start; `start` connects them. */
  make: (deployment: Deployment) => {
    signals: Signals
    start: () => Promise<void>
    stop: () => Promise<void>
  }
  /** Ends the connections by which the gateways hear each other; they may open others. */
  cut: (deployment: Deployment) => Promise<void>
  /** Kills what carries the notices, or lets no gateway reach it. */
  takeAway: (deployment: Deployment) => Promise<void>
  giveBack: (deployment: Deployment) => Promise<void>
  /** Whether entries are written while it is away. */
  servesWithout: boolean
}

/** What both ways to carry notices between gateways hold to. */
export function signalsSuite(name: string, { make, settings, ...way }: SignalsUnderTest) {
  const starting = startDeployment(settings).then(async (deployment) => ({
    deployment,
    other: await deployment.another(),
    logs: await TestLogs.of(deployment),
  }))
  after(async () => (await starting).deployment[Symbol.asyncDispose]())

  test(`${name}: a notice reaches every gateway that listens, the one that sends it included, once and whole`, async () => {
    const { deployment } = await starting
    const heard: string[][] = [[], [], []]
    const made = heard.map((came) => {
      const one = make(deployment)
      one.signals.on('suite', (payload) => void came.push(payload))
      return one
    })
    for (const { start } of made) await start()
    const words = ['', 'plain', 'two\nlines', 'ü'.repeat(3900)]
    for (const word of words) made[0]?.signals.send('suite', word)
    made[0]?.signals.send('elsewhere', 'nobody listens')
    await until('all heard', () => heard.every((came) => came.length >= words.length))
    made[1]?.signals.send('suite', 'last')
    await until('all heard the last', () => heard.every((came) => came.at(-1) === 'last'))
    for (const came of heard) assert.deepEqual(came, [...words, 'last'])
    for (const { stop } of made) await stop()
  })

  test(`${name}: a hearer that throws on a notice stops neither the notices nor the gateway`, async () => {
    const { deployment } = await starting
    const [sender, hearer] = [make(deployment), make(deployment)]
    const came: string[] = []
    hearer.signals.on('suite', (payload) => {
      came.push(payload)
      if (payload === 'bad') throw new Error('broken on purpose')
    })
    for (const { start } of [sender, hearer]) await start()
    for (const word of ['bad', 'good']) sender.signals.send('suite', word)
    await until('both came', () => came.length === 2)
    for (const { stop } of [sender, hearer]) await stop()
  })

  test(`${name}: readers on another gateway get every entry while the connections between gateways break`, async () => {
    const { deployment, other, logs } = await starting
    const call = await logs.open(1)
    using reader = await logs.read(call.at, { at: other })
    await reader.came('log.caught_up')
    for (const n of range(2, 41)) {
      if (n % 10 === 0) await way.cut(deployment)
      await logs.write(call, [said(`${n}`)])
    }
    await until('the reader has all', () => reader.seqs.length >= 41)
    assert.deepEqual(reader.seqs, range(1, 41))
  })

  test(`${name}: readers and gateways that get messages miss nothing while what carries the notices is away`, async () => {
    const { deployment, other, logs } = await starting
    const call = await logs.open(1)
    using reader = await logs.read(call.at, { at: other })
    await reader.came('log.caught_up')
    const came: number[] = []
    other.gateway.services.mailbox.on<{ n: number }>('suite', ({ n }) => came.push(n))
    const send = (n: number) =>
      deployment.gateway.services.mailbox.send(other.gateway.services.runningGateways.id, 'suite', { n })
    await way.takeAway(deployment)
    if (way.servesWithout) {
      await logs.write(call, [said('2')])
      await send(1)
      await until('the reader has it', () => reader.seqs.length === 2)
      await until('the message came', () => came.length === 1)
    }
    await way.giveBack(deployment)
    const next = (reader.seqs.at(-1) ?? 0) + 1
    await until('it writes again', () =>
      logs.write(call, [said(`${next}`)]).then(
        () => true,
        () => false,
      ),
    )
    await send(2)
    await until('the reader continues', () => reader.seqs.at(-1) === next)
    await until('the message came', () => came.at(-1) === 2)
    assert.deepEqual(reader.seqs, range(1, next))
  })
}
