import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { pino } from 'pino'
import { migratedDatabase } from '../../../testing/databases.ts'
import { until } from '../../../testing/until.ts'
import { Database } from '../../database/database.ts'
import { DirectConnection } from '../../database/direct-connection.ts'
import { directLockSessions } from '../../database/direct-lock-sessions.ts'
import { lentLockSessions } from '../../database/lent-lock-sessions.ts'
import { longestLockWaitMs, NumberLocks } from './number-locks.ts'

const made = await migratedDatabase()
const database = new Database(made.url, () => {})
const opened: { close: () => Promise<unknown> }[] = [database]
after(async () => {
  for (const one of opened) await one.close()
  await made.drop()
})

/** The locks of one gateway more. */
const kinds = {
  'connections of a pool': async () => {
    const pool = new Database(made.url, () => {})
    opened.push(pool)
    return new NumberLocks(lentLockSessions(pool, longestLockWaitMs))
  },
  'the gateway’s own connection': async () => {
    const direct = new DirectConnection(made.url, pino({ level: 'silent' }))
    await direct.start()
    opened.push({ close: () => direct.stop() })
    return new NumberLocks(directLockSessions(direct, longestLockWaitMs))
  },
}

/** Runs until it is released, and notes how many run at once. */
class Work {
  running = 0
  most = 0
  done = 0
  readonly #gate = Promise.withResolvers<void>()
  run = async () => {
    this.running += 1
    this.most = Math.max(this.most, this.running)
    await this.#gate.promise
    this.running -= 1
    this.done += 1
  }
  letGo = () => this.#gate.resolve()
}

for (const [kind, newLocks] of Object.entries(kinds))
  describe(`locks on ${kind}`, async () => {
    const [here, there] = [await newLocks(), await newLocks()]

    test('of those that want one lock, on this gateway or another, one runs at a time', async () => {
      const work = new Work()
      const all = Promise.all(
        [here, here, there, there, here].map((locks) => locks.withLocks(['org a'], work.run)),
      )
      await until('one runs', () => work.running === 1)
      work.letGo()
      await all
      assert.deepEqual([work.most, work.done], [1, 5])
    })

    test('other names do not wait for it, but at most two tasks of a gateway hold locks', async () => {
      const work = new Work()
      const all = Promise.all(['b', 'c', 'd', 'e'].map((name) => here.withLocks([name], work.run)))
      await until('two run', () => work.running === 2)
      await there.withLocks(['f'], async () => {})
      work.letGo()
      await all
      assert.deepEqual([work.most, work.done], [2, 4])
    })

    test('those that wait for one org leave the second place to another', async () => {
      const work = new Work()
      const all = Promise.all(['a', 'b', 'c'].map((number) => here.withLocks([number, 'org'], work.run)))
      await until('one runs', () => work.running === 1)
      await here.withLocks(['another org'], async () => {})
      work.letGo()
      await all
    })

    test('a lock is released when the work fails, and one that is held elsewhere can be tried', async () => {
      await assert.rejects(
        here.withLocks(['a'], async () => {
          throw new Error('broke')
        }),
        { message: 'broke' },
      )
      await here.withLocks(['a'], async (held) => {
        assert.equal(await there.withLockIfFree('a', async () => {}), false)
        assert.equal(await held.tryAlso('b'), true)
        assert.equal(await there.withLockIfFree('b', async () => {}), false)
      })
      assert.equal(await there.withLockIfFree('b', async () => {}), true)
    })

    test('under a lock that was free others are held one at a time, in its session', async () => {
      const work = new Work()
      const done = here.withLockIfFree('whole set', async (holder) => {
        await holder.withLock('org a', work.run)
        await holder.withLock('org b', async () => {})
      })
      await until('it holds one', () => work.running === 1)
      const order: string[] = []
      const waits = [here, there].map((locks) =>
        locks.withLocks(['org a'], async () => void order.push('org a')),
      )
      await here.withLocks(['org b'], async () => void order.push('org b'))
      assert.deepEqual(order, ['org b'])
      work.letGo()
      assert.equal(await done, true)
      await Promise.all(waits)
    })

    test('the locks of a gateway that dies are released', async () => {
      const locks = await newLocks()
      const work = new Work()
      const held = locks.withLocks(['x'], work.run)
      await until('it holds the lock', () => work.running === 1)
      const next = here.withLocks(['x'], async () => 'taken')
      await here.withLocks(['y'], async () => {})
      await database.pool.query(`
        select pg_terminate_backend(pid) from pg_locks
        where locktype = 'advisory' and granted and pid <> pg_backend_pid()
          and database = (select oid from pg_database where datname = current_database())`)
      assert.equal(await next, 'taken')
      work.letGo()
      await held
    })

    test('of several locks those that are free are taken at once, and nobody waits for the others', async () => {
      const work = new Work()
      const holding = [here, there].map((locks, at) => locks.withLocks([`org ${at}`], work.run))
      await until('two are held', () => work.running === 2)
      const names = ['org 0', 'org 1', 'org 2', 'org 3']
      const taken: string[] = []
      const hasRun = await here.withLockIfFree('whole set', async (holder) => {
        await holder.withFreeOf(names, async (held) => {
          taken.push(...held)
          assert.equal(await there.withLockIfFree('org 2', async () => {}), false)
        })
        assert.equal(await there.withLockIfFree('org 2', async () => {}), true)
        await assert.rejects(
          holder.withFreeOf(['org 3'], async () => {
            throw new Error('broke')
          }),
          { message: 'broke' },
        )
      })
      assert.deepEqual([hasRun, taken], [true, ['org 2', 'org 3']])
      await here.withLocks(['org 3'], async () => {})
      work.letGo()
      await Promise.all(holding)
    })
  })
