import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { EmbeddedPlane, type FenceKeeper } from '@switchroom/media/embedded'
import {
  admission,
  fence as fenceOf,
  one,
  sorted,
  three,
  two,
} from '@switchroom/media/testing/plane-admissions'
import { planeSuite } from '@switchroom/media/testing/plane-suite'
import { pino } from 'pino'
import { TestClock } from '../../../testing/clock.ts'
import { migratedDatabase } from '../../../testing/databases.ts'
import { Database } from '../../database/database.ts'
import { DirectConnection } from '../../database/direct-connection.ts'
import { PostgresSignals } from '../../database/postgres-signals.ts'
import { Vault } from '../../foundation/sealing.ts'
import { EmbeddedFences } from './embedded-fences.ts'
import { PlacementOffers } from './placement-offers.ts'
import { WorkerNotifier } from './worker-notifier.ts'

// No gateway runs on it, which would take away what no number of it asks for.
const testDatabase = await migratedDatabase()
const database = new Database(testDatabase.url, () => {})
const logger = pino({ enabled: false })
const signals = new PostgresSignals(new DirectConnection(testDatabase.url, logger), logger)
const clock = new TestClock()
const parts = {
  database,
  clock,
  vault: new Vault(Buffer.alloc(32, 7)),
  signals,
  notifier: new WorkerNotifier({ database, clock, signals }),
}
const fences = new EmbeddedFences(parts)
const placementOffers = new PlacementOffers(parts)
const sql = (text: string) => database.pool.query(text)
after(async () => {
  await database.close()
  await testDatabase.drop()
})

planeSuite('the embedded plane', async () => {
  await sql('delete from fences')
  let [writes, writesLeft] = [0, Infinity]
  const write = async (work: () => Promise<void>) => {
    if (writesLeft === 0) throw new Error('the database is gone')
    await work()
    writes += 1
    writesLeft -= 1
  }
  const broken: FenceKeeper = {
    all: () => fences.all(),
    orgs: () => fences.orgs(),
    ofScopes: (scopes) => fences.ofScopes(scopes),
    change: (work) =>
      fences.change(async (rows) => {
        const done = await work({
          ...rows,
          put: (fence) => write(() => rows.put(fence)),
          drop: (name) => write(() => rows.drop(name)),
          putAll: (puts) => write(() => rows.putAll(puts)),
          dropAll: (names) => write(() => rows.dropAll(names)),
        })
        if (writesLeft === 0) throw new Error('the database is gone')
        return done
      }),
  }
  const everything = async () => (await sql('select * from fences order by name')).rows
  return {
    plane: new EmbeddedPlane(broken, placementOffers),
    rules: async () => {
      const { rows } = await sql(`
        select scope as name, fleet, array_agg(number order by number) as numbers
        from fences, unnest(numbers) as listed (number) group by scope, fleet order by scope`)
      return rows as { name: string; fleet: string; numbers: string[] }[]
    },
    whole: everything,
    foreign: async () => [],
    writes: () => writes,
    breakAfter: (count) => (writesLeft = count),
    mend: () => (writesLeft = Infinity),
    stop: async () => {
      const { rows } = await sql(
        `select name from fences where cardinality(numbers) = 0 or cardinality(networks) = 0`,
      )
      if (rows.length > 0) throw new Error('a fence is open')
    },
  }
})

test('the fences of several orgs are written at once, also where numbers move between them, or none of them is', async () => {
  await sql('delete from fences')
  const plane = new EmbeddedPlane(fences, placementOffers)
  const pair = { username: 'peer', password: 'a word of the peer' }
  const before = [
    admission('production', [fenceOf('apicarrier', [one]), fenceOf('sip/gone', [two])]),
    admission('sandbox', []),
    admission('sandbox', [{ ...fenceOf('sip/peer', [three]), pair, number_form: 'e164' }], 'org_b'),
    admission('production', [fenceOf('own/+15550000009', ['+15550000009'])], 'org_b'),
  ]
  await plane.admitAll(before)
  assert.deepEqual(sorted(await plane.list()), sorted(before.flatMap((wanted) => wanted.fences)))
  assert.deepEqual(await plane.areAdmitted(before), [true, true, true, true])
  const { rows } = await sql('select xmin, * from fences order by name')
  await plane.admitAll(before)
  assert.deepEqual((await sql('select xmin, * from fences order by name')).rows, rows)

  const swapped = [
    admission('production', []),
    admission('sandbox', [fenceOf('apicarrier', [one, three])]),
    admission('sandbox', [{ ...fenceOf('sip/peer', [two]), pair }], 'org_b'),
    admission('production', [], 'org_b'),
  ]
  await plane.admitAll(swapped)
  assert.deepEqual(sorted(await plane.list()), sorted(swapped.flatMap((wanted) => wanted.fences)))

  const ofTheirs = [
    admission('sandbox', [fenceOf('apicarrier', ['+15550000031'])], 'org_c'),
    admission('sandbox', [fenceOf('apicarrier', [two])], 'org_d'),
  ]
  await assert.rejects(plane.admitAll(ofTheirs), {
    name: 'MediaError',
    message: `${two} is still admitted for another org`,
  })
  await assert.rejects(
    plane.admitAll([admission('sandbox', [fenceOf('apicarrier', [])])]),
    /lists no number$/,
  )
  assert.deepEqual(sorted(await plane.list()), sorted(swapped.flatMap((wanted) => wanted.fences)))
})
