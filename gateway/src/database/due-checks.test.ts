import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { migratedDatabase } from '../../testing/databases.ts'
import { Database, statement, type Queryable } from './database.ts'
import { checkOf, DueChecks } from './due-checks.ts'

const testDatabase = await migratedDatabase()
const database = new Database(testDatabase.url, () => {})
after(async () => {
  await database.close()
  await testDatabase.drop()
})
const above = statement<{ n: number }>('select n from generate_series(1, $1::int) as n where n > $2::int')
const none = statement('select 1 where false')

function counted() {
  const texts: string[] = []
  const queryable: Queryable = {
    rows: (asked, ...values) => database.rows(asked, ...values),
    row: (asked, ...values) => (texts.push(asked.text), database.row(asked, ...values)),
  }
  return { texts, dueChecks: new DueChecks(queryable) }
}

test('tasks that ask at the same time are answered by one statement, each for itself, and run if there is work', async () => {
  const { texts, dueChecks } = counted()
  const ran: string[] = []
  const answers = await Promise.all([
    dueChecks.runIfAny(checkOf(above, 5, 4), () => ran.push('some')),
    dueChecks.runIfAny(checkOf(none), () => ran.push('none')),
    dueChecks.runIfAny(checkOf(above, 5, 5), () => ran.push('over')),
    dueChecks.runIfAny(checkOf(above, 9, 1), () => ran.push('many')),
  ])
  assert.deepEqual(answers, [true, false, false, true])
  assert.deepEqual(ran.toSorted(), ['many', 'some'])
  assert.equal(texts.length, 1)
  await dueChecks.runIfAny(checkOf(none), () => ran.push('later'))
  assert.equal(texts.length, 2)
})

test('a question that the database does not answer fails the tasks that asked it, and no later one', async () => {
  const { dueChecks } = counted()
  const broken = checkOf(statement('select from no_such_table'))
  await assert.rejects(
    dueChecks.runIfAny(broken, () => {}),
    /no_such_table/,
  )
  assert.equal(await dueChecks.runIfAny(checkOf(above, 1, 0), () => {}), true)
})
