import { parseArgs } from 'node:util'
import { startThrowawayPostgres } from '@switchroom/launcher/postgres'

// By hand: node gateway/testing/races/run.ts --rounds 1000 [--pair "POST /v1/members" --pair "DELETE /v1/members/:id"]
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '2' },
    pair: { type: 'string', multiple: true },
    tables: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    lanes: { type: 'string', default: '4' },
    minutes: { type: 'string', default: '10' },
  },
})
const say = (sentence: string) => process.stdout.write(`${sentence}\n`)

const postgres = await startThrowawayPostgres({ settings: ['autovacuum=off', 'jit=off'] })
process.env['TEST_POSTGRES_URL'] = postgres.url('postgres') // read by what is loaded next
const { observe } = await import('./observed-tables.ts')
const { allOperations } = await import('./operations/all-operations.ts')
const { sentenceOf } = await import('./race-findings.ts')
const { growingTables, pairsOf, references } = await import('./race-pairs.ts')
const { plannedRounds } = await import('./race-plan.ts')
const { runRaces } = await import('./race-run.ts')
const { RaceWorld } = await import('./race-world.ts')
const { Random } = await import('./random.ts')

const world = await RaceWorld.start()
const random = new Random(Number(values.seed))
const rounds = Number(values.rounds)
const lanes = Number(values.lanes)
const end = Date.now() + Number(values.minutes) * 60_000
const undone = new Map<string, number>()
try {
  const planned = values.pair ? Array.from({ length: rounds }, () => values.pair ?? []) : await ofAllPairs()
  const { ran, findings, pairs } = await runRaces(world, planned, random, {
    lanes,
    isSpent: () => Date.now() > end,
    onFinding: (finding) => say(`${sentenceOf(finding)}\n${world.failuresLogged().slice(-2).join('\n')}`),
    ...(lanes === 1 && {
      onDeadlock: (operations) =>
        undone.set(operations.join(' | '), (undone.get(operations.join(' | ')) ?? 0) + 1),
    }),
  })
  say(
    `${ran} rounds of ${pairs} combinations, ${findings.length} wrong answers, ${world.unanswered.sentence}, ${await world.deadlocks()} deadlocks`,
  )
  for (const [operations, times] of undone) say(`${times} deadlocks: ${operations}`)
  process.exitCode = findings.length > 0 ? 1 : 0
} finally {
  await world[Symbol.asyncDispose]()
  await postgres.stop()
}

async function ofAllPairs() {
  const observed = await observe(world, Object.keys(allOperations))
  if (values.tables)
    for (const [operation, tables] of observed)
      say(
        `${operation}: ${[...tables].map(([table, changes]) => `${table} ${[...changes].join('/')}`).join(', ')}`,
      )
  const growing = await growingTables(world, observed)
  const pairs = pairsOf(observed, await references(world), growing)
  say(`${pairs.length} pairs share a table; only growing: ${[...growing].toSorted().join(', ')}`)
  return values.tables ? [] : plannedRounds(pairs, [...observed.keys()], rounds, random)
}
