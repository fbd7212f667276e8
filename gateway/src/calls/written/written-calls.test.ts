import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { until } from '../../../testing/until.ts'
import type { Statement, Value } from '../../database/database.ts'
import type { WrittenCallRecord } from './written-calls.store.ts'
import { WrittenCalls, type WrittenParts } from './written-calls.ts'

const headOf = (id: string): WrittenCallRecord => {
  return {
    id,
    org: 'org',
    slug: 'acme',
    env: 'sandbox',
    agent: 'desk',
    holder: '',
    contact: null,
    channel: 'chat',
    traceparent: null,
  }
}

type Rows = (text: string, values: Value[]) => Promise<object[]>

/** Written calls on a database that answers as the test says. */
function callsOn(rows: Rows, follow = async (_call: string) => {}) {
  const left: string[] = []
  let hear = () => {}
  let missed = () => {}
  const queryable = {
    rows: ({ text }: Statement<object>, ...values: Value[]) => rows(text, values),
  }
  const parts = {
    database: { ...queryable, transaction: (work: (tx: object) => Promise<object[]>) => work(queryable) },
    clock: { now: () => new Date() },
    logger: pino({ level: 'silent' }),
    liveLogs: {
      follow: async (id: string) => {
        await follow(id)
        return { seq: 0, stop: () => left.push(id) }
      },
    },
    log: { read: async () => [] },
    appRequests: { appOf: async () => null, servedAmong: async () => [] },
    openOutlet: () => undefined,
    gateways: {
      id: 'gw_own',
      alive: { own: 'gw_own', since: new Date() },
      forget: (_tx: object, ids: readonly string[]) => rows('delete from gateways', [ids]),
    },
    directConnection: {
      prove: () => {},
      onReopened: (onReopened: () => void) => (missed = onReopened),
    },
    signals: {
      send: () => {},
      on: (_channel: string, onHeard: () => void) => (hear = onHeard),
    },
  }
  const calls = new WrittenCalls(parts as unknown as WrittenParts)
  return { calls, left, hear: () => hear(), missed: () => missed() }
}

test('a call that can be neither run nor given up is given up as soon as that works', async () => {
  const givenUp: Value[] = []
  let tries = 0
  const rows: Rows = async (text, values) => {
    if (!text.includes('returning id')) return []
    tries += 1
    if (tries === 1) throw new Error('the database is away')
    givenUp.push(...values)
    return []
  }
  let follows = 0
  const { calls } = callsOn(rows, async () => {
    follows += 1
    throw new Error('the database is away')
  })
  calls.run(headOf('call_1'), false)
  await until('it is given up', () => {
    calls.poll()
    return givenUp.length > 0
  })
  assert.deepEqual([givenUp, tries, follows], [['gw_own', ['call_1']], 2, 1])
  calls.poll()
  assert.equal(tries, 2)
})

test('of the calls that others took while this gateway was disconnected, none that was opened meanwhile is stopped', async () => {
  const read = Promise.withResolvers<object[]>()
  const { calls, left, missed } = callsOn(async (text) =>
    text.includes('where runner = $1') ? read.promise : [],
  )
  for (const id of ['kept', 'taken']) calls.run(headOf(id), false)
  await new Promise(setImmediate)
  missed()
  calls.run(headOf('opened'), false)
  await new Promise(setImmediate)
  read.resolve([{ id: 'kept' }])
  await until('it is released', () => left.length > 0)
  await new Promise(setImmediate)
  assert.deepEqual(left, ['taken'])
})
