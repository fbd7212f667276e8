import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, test } from 'node:test'
import { observe } from '../testing/races/observed-tables.ts'
import { allOperations, exemptRoutes } from '../testing/races/operations/all-operations.ts'
import { routeOf } from '../testing/races/operations/operation.ts'
import { sentenceOf } from '../testing/races/race-findings.ts'
import { growingTables, pairsOf, references } from '../testing/races/race-pairs.ts'
import { plannedRounds } from '../testing/races/race-plan.ts'
import { runRaces } from '../testing/races/race-run.ts'
import { RaceWorld } from '../testing/races/race-world.ts'
import { Random } from '../testing/races/random.ts'

/** What this test may use of a processor; by hand as much as is given (CONTRIBUTING.md). */
const mostCpuS = 40
const before = process.cpuUsage()

const world = await RaceWorld.start()
after(() => world[Symbol.asyncDispose]())
const observed = await observe(world, Object.keys(allOperations))
const pairs = pairsOf(observed, await references(world), await growingTables(world, observed))

test('every route that changes something is raced, or exempt with a reason, and none is both', () => {
  const { server, dashboard } = world.first.gateway
  const routes = new Set(
    [...server.routes.all, ...dashboard.routes.all].map(({ method, path }) => `${method} ${path}`),
  )
  const raced = new Set(Object.keys(allOperations).map(routeOf))
  const reads = /^(?:GET|HEAD|OPTIONS) /
  assert.deepEqual(
    [...routes].filter((route) => !reads.test(route) && !raced.has(route) && !(route in exemptRoutes)),
    [],
    'add an operation in testing/races/operations, or say why it has none',
  )
  assert.deepEqual(
    [...raced, ...Object.keys(exemptRoutes)].filter((route) => !routes.has(route)),
    [],
  )
  assert.deepEqual(
    [...raced].filter((route) => route in exemptRoutes),
    [],
  )
})

test('operations that write to the same table are found by what they write, and one that severs what another names', () => {
  const isPair = (one: string, other: string) =>
    pairs.some(({ operations }) => operations.includes(one) && operations.includes(other))
  assert.ok(isPair('POST /v1/invitations/:token', 'DELETE /v1/members/:id of an invited'))
  assert.ok(isPair('DELETE /v1/members/:id', 'POST /v1/login/codes'))
  assert.ok(isPair('POST /v1/calls/:call/events', 'POST /v1/calls/:call/events'))
  assert.ok(!isPair('PUT /v1/ops/brand', 'PUT /v1/org/policy'))
})

test('requests that change the same at the same moment on two gateways get only answers that their routes document', async (t) => {
  const seed = randomInt(2 ** 31)
  const random = new Random(seed)
  const planned = plannedRounds(pairs, Object.keys(allOperations), 1, random)
  const isSpent = () => process.cpuUsage(before).user / 1e6 > mostCpuS
  const { ran, findings } = await runRaces(world, planned, random, { lanes: 4, isSpent })
  const undone = await world.deadlocks()
  t.diagnostic(
    `${ran} of ${planned.length} rounds of ${pairs.length} pairs, ${undone} deadlocks undone, ${world.unanswered.sentence}, seed ${seed}`,
  )
  assert.ok(ran > 0)
  assert.deepEqual(findings.map(sentenceOf), [], world.failuresLogged().slice(-5).join('\n'))
})
