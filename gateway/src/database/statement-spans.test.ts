import assert from 'node:assert/strict'
import { test } from 'node:test'
import { traceHere } from '@switchroom/telemetry/testing/traced'
import { newCallTrace, placeOf, runAt } from '@switchroom/telemetry/tracing'
import { commitSpan, endStatement, statementSpan } from './statement-spans.ts'

const named: readonly [text: string, name: string][] = [
  [`select id from calls where id = $1 for update`, 'SELECT calls'],
  [`select count(*) from logs l join calls c on c.id = l.id`, 'SELECT logs'],
  [`insert into calls (id) values ($1) on conflict (id) do update set id = $1`, 'INSERT calls'],
  [`with moved as (update calls set agent = $2) update logs set agent = $2 where id = $1`, 'UPDATE calls'],
  [`with seen as (select 1 from keys for no key update) delete from tokens where id = $1`, 'DELETE tokens'],
  [`select extract(epoch from opened_at) from calls where a is distinct from b`, 'SELECT calls'],
  [`select 1`, 'SELECT'],
]

test('a statement’s span names what it does and its table, never its text or values; without a trace it has none', async () => {
  assert.equal(statementSpan('select 1'), undefined)
  const traced = await traceHere()
  assert.equal(statementSpan('select 1'), undefined)
  runAt(placeOf(newCallTrace()), () => {
    for (const [text] of named) endStatement(statementSpan(text), null)
    endStatement(commitSpan(), Object.assign(new Error('secret'), { code: '40001' }))
  })
  await traced[Symbol.asyncDispose]()
  const { spans } = traced.collector
  assert.deepEqual(
    spans.map(({ name }) => name),
    [...named.map(([, name]) => name), 'COMMIT'],
  )
  assert.deepEqual(spans[0]?.attributes, {
    'db.system.name': 'postgresql',
    'db.operation.name': 'SELECT',
    'db.collection.name': 'calls',
  })
  assert.equal(spans.at(-1)?.attributes['error.type'], '40001')
  assert.ok(!JSON.stringify(spans).includes('secret'))
})
