import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as fc from 'fast-check'
import { startDeployment } from '../../../testing/deployment.ts'
import { ends, range, said, TestLogs } from '../../../testing/calls/test-logs.ts'
import { until } from '../../../testing/until.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const other = await deployment.another()
const gateways = [deployment, other] as const
const logs = await TestLogs.of(deployment)

const gateway = fc.integer({ min: 0, max: 1 })
const write = fc.record({ by: gateway, count: fc.integer({ min: 1, max: 4 }), live: fc.boolean() })
const cut = fc.record({ at: gateway, cutAfter: fc.integer({ min: 1, max: 3000 }) })

test('a reader that is cut anywhere and resumes anywhere loses nothing and repeats nothing, while two gateways write (N-496, ND-103, ND-104, T-92)', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(write, { minLength: 1, maxLength: 12 }),
      fc.array(write, { minLength: 1, maxLength: 12 }),
      fc.array(cut, { minLength: 1, maxLength: 8 }),
      async (before, during, cuts) => {
        const call = await logs.open()
        const writeAll = async (writes: typeof before) => {
          for (const { by, count, live } of writes) {
            const { log } = gateways[by === 0 ? 0 : 1].gateway.services
            if (live) log.show(call, [{ type: 'user.speaking', data: { text: 'w' } }])
            await log.append(
              call,
              range(1, count).map((n) => said(`${n}`)),
            )
          }
        }
        await writeAll(before)
        const writing = Promise.all([writeAll(during), writeAll(during.toReversed())])
        const came: { seq: number; entry: string }[] = []
        const take = async (at: number, cutAfter?: number) => {
          const last = came.at(-1)?.seq
          using reader = await logs.read(`${call.at}?after=0`, {
            at: gateways[at === 0 ? 0 : 1],
            ...(cutAfter !== undefined && { cutAfter }),
            ...(last !== undefined && { 'last-event-id': `${last}` }),
          })
          if (cutAfter === undefined) await reader.ended()
          else await Promise.race([writing, until('it is cut', () => reader.isClosed)])
          for (const { id, data } of reader.events)
            if (id !== undefined) came.push({ seq: Number(id), entry: JSON.stringify(data) })
          assert.equal(reader.find('log.gap'), undefined)
        }
        for (const { at, cutAfter } of cuts) await take(at, cutAfter)
        await writing
        await logs.write(call, [ends])
        await take(cuts[0]?.at ?? 0)
        const { rows } = await deployment.sql('select seq, entry from entries where log = $1 order by seq', [
          call.id,
        ])
        assert.deepEqual(came, rows)
      },
    ),
    { numRuns: 40 },
  )
})
