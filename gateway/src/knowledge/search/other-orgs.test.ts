import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { done } from '../../../testing/agents/test-agents.ts'
import { startDeployment } from '../../../testing/deployment.ts'
import { testBase } from '../../../testing/knowledge/test-bases.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { sql } = deployment
const inBase = 40

/** Pages of tables and indexes that the look-up of a base's word and its ranking read. */
async function pagesRead(base: number): Promise<number> {
  const { rows } = await sql(
    `explain (analyze, buffers, format json) select * from knowledge_best(
       array[$1::text]::tsquery[], array[1000], null, 0, 0, array[$1::text]::tsquery[], array[null]::tsquery[],
       array[null]::tsquery[], array[1::float8], 5, 10)`,
    [`'${base}/bread'`],
  )
  const [{ Plan: plan }] = rows[0]['QUERY PLAN']
  assert.equal(plan['Actual Rows'], 10)
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
}

test("a search reads no rows of other orgs' bases, however many have the same words", async () => {
  const [own, other] = [await deployment.newOrg(), await deployment.newOrg()]
  const mine = await testBase(deployment, own.id)
  await mine.put(
    'a.md',
    Array.from({ length: inBase }, (_, n) => `The bread of kind ${n} costs little.`),
  )
  const theirs = await testBase(deployment, other.id)
  const document = await theirs.put('a.md', ['Their bread.'])
  const numberOf = async (id: string) =>
    (await sql('select number from knowledge_bases where id = $1', [id])).rows[0].number as number
  const [number, others] = [await numberOf(mine.id), await numberOf(theirs.id)]
  await pagesRead(number)
  const before = await pagesRead(number)
  await sql(
    `insert into knowledge_words (base, document, ordinal, language, length, words)
     select $1::int, $2, n, 'en', 5, format('''%s/bread'':1 ''%s/kind'':2 ''%s/cost'':3', $1::int, $1::int, $1::int)::tsvector
     from generate_series(1, 50000) as n`,
    [others, document],
  )
  await sql('analyze knowledge_words')
  const afterwards = await pagesRead(number)
  // The look-ups of the two indexes may be one level deeper.
  assert.ok(afterwards <= before + 2 * inBase + 10, `${before} pages, then ${afterwards}`)

  const { client } = await own.person('admin')
  const { passages } = done(await client.post('/v1/bases/help/search', { query: 'bread', k: 50 }))
  assert.equal(passages.length, inBase)
  assert.ok(passages.every(({ text }: { text: string }) => text.startsWith('The bread of kind')))
})
