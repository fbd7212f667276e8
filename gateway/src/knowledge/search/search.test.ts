import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { done } from '../../../testing/agents/test-agents.ts'
import { refused } from '../../../testing/client.ts'
import { startDeployment, type TestPerson } from '../../../testing/deployment.ts'
import { until } from '../../../testing/until.ts'
import { statement } from '../../database/database.ts'
import { chunk, inGateway, testBase, type BaseWanted } from '../../../testing/knowledge/test-bases.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const org = await deployment.newOrg()
const admin = await org.person('admin')
let bases = 0

async function baseOf(texts: Record<string, string[]>, wanted: BaseWanted = {}) {
  const name = `base-${(bases += 1)}`
  const base = await testBase(deployment, org.id, { base: name, ...wanted })
  for (const [document, chunks] of Object.entries(texts)) await base.put(document, chunks)
  return base
}

const search = async (base: string, query: string, more: object = {}, { client }: TestPerson = admin) =>
  done(await client.post(`/v1/bases/${base}/search`, { query, ...more }))
const texts = async (base: string, query: string, more: object = {}) =>
  (await search(base, query, more)).passages.map(({ text }: { text: string }) => text)

const bakery = {
  'hours.md': [
    'We open at seven in the morning and close at six in the evening.',
    'On Sundays the shop is closed.',
  ],
  'prices.md': ['A loaf of rye bread costs four euros.', 'A croissant costs one euro fifty.'],
  'delivery.md': ['We deliver within the city for free when you order for more than thirty euros.'],
}

test('a search finds passages by the forms of words, the best first, with score, place and highlights', async () => {
  const { base } = await baseOf(bakery)
  const answer = await search(base, 'What does the bread cost?')
  const [first] = answer.passages
  assert.equal(first.text, 'A loaf of rye bread costs four euros.')
  assert.deepEqual([first.name, first.base, first.heading], ['prices.md', base, []])
  assert.equal(answer.by, 'words')
  assert.deepEqual(
    answer.highlights[0].map(([from, to]: [number, number]) => first.text.slice(from, to)),
    ['bread', 'costs'],
  )
  const scores = answer.passages.map(({ score }: { score: number }) => score)
  assert.deepEqual(
    scores,
    scores.toSorted((a: number, b: number) => b - a),
  )
  assert.ok(scores.every((score: number) => score > 0 && score <= 1))
})

test('`k` and `min_score` bound what is found', async () => {
  const { base } = await baseOf(bakery)
  assert.equal((await texts(base, 'bread croissant costs', { k: 1 })).length, 1)
  const { passages } = await search(base, 'bread croissant costs')
  const between = (passages[0].score + passages[1].score) / 2
  assert.ok(passages[0].score > passages[1].score || passages.length === 2)
  assert.ok((await texts(base, 'bread croissant costs', { min_score: between })).length <= passages.length)
  assert.deepEqual(await texts(base, 'rye', { min_score: 1 }), [])
})

test('a passage whose heading names what is asked comes before one that only mentions it', async () => {
  const base = await baseOf({})
  await base.put('help.md', [
    chunk('Returns are mentioned here and there. Parcels are not.', ['Parcels']),
    chunk('Send it back within thirty days.', ['Returns']),
  ])
  assert.equal((await texts(base.base, 'returns'))[0], 'Send it back within thirty days.')
})

test('German words are found by their forms, without their umlauts, in compounds and out of them', async () => {
  const { base } = await baseOf({
    'hilfe.md': [
      'Unsere Öffnungszeiten sind montags bis freitags von neun bis siebzehn Uhr.',
      'Die Kündigungsfrist beträgt drei Monate zum Ende des Jahres.',
      'Häuser in der Straße werden nicht beliefert.',
      'Der Vertrag über die Versicherung kann online geändert werden.',
    ],
  })
  for (const query of ['Oeffnungszeiten', 'öffnungszeit', 'Zeiten'])
    assert.match((await texts(base, query))[0] ?? '', /^Unsere Öffnungszeiten/, query)
  for (const query of ['Kündigung', 'kuendigungsfristen', 'Frist'])
    assert.match((await texts(base, query))[0] ?? '', /^Die Kündigungsfrist/, query)
  assert.match((await texts(base, 'Haus Strasse'))[0] ?? '', /^Häuser/)
  assert.match((await texts(base, 'Versicherungsvertrag'))[0] ?? '', /^Der Vertrag/)
})

test('accents may be left out, in the query and in the document', async () => {
  const { base } = await baseOf({
    'a.md': ['La habitación doble cuesta ochenta euros.', 'El cafe con leche es gratis.'],
  })
  assert.match((await texts(base, 'habitacion'))[0] ?? '', /^La habitación/)
  assert.match((await texts(base, 'habitaciones'))[0] ?? '', /^La habitación/)
  assert.match((await texts(base, 'café'))[0] ?? '', /^El cafe/)
})

test('scripts without spaces between words are found by their letters', async () => {
  const { base } = await baseOf({
    'ja.md': ['営業時間は午前九時から午後六時までです。', '返品は三十日以内に受け付けます。'],
    'zh.md': ['退款将在五个工作日内到账。'],
    'th.md': ['ร้านเปิดทุกวันยกเว้นวันอาทิตย์'],
    'ar.md': ['ساعات العمل من التاسعة صباحا حتى السادسة مساء'],
    'ko.md': ['영업시간은 오전 아홉시부터입니다'],
  })
  for (const [query, begin] of [
    ['営業時間を教えて', '営業時間'],
    ['返品', '返品'],
    ['退款', '退款'],
    ['วันอาทิตย์', 'ร้าน'],
    ['ساعات', 'ساعات'],
    ['영업시간', '영업시간'],
  ] as const)
    assert.ok((await texts(base, query))[0]?.startsWith(begin), query)
})

test('what the lexicons of the org write in two ways is found by both', async () => {
  const { base } = await baseOf({
    'a.md': ['Export your data as SQL.', 'Switchroom answers the phone.', 'Nothing else matters here.'],
  })
  assert.deepEqual(await texts(base, 'sequel'), [])
  const lexicon = { said: [{ word: 'SQL', spoken: 'sequel' }], heard: ['Switchroom'] }
  done(await admin.client.put('/v1/agents/desk/lexicon', { lexicon, if_version: 0, team: true }))
  assert.deepEqual(await texts(base, 'sequel'), ['Export your data as SQL.'])
  assert.deepEqual(await texts(base, 'what is a switch room'), ['Switchroom answers the phone.'])
})

test('a base shows the same text once, and a document in place of another leaves nothing of it', async () => {
  const base = await baseOf({ 'a.md': ['Parking is free.'], 'b.md': ['Parking is free.'] })
  assert.deepEqual(await texts(base.base, 'parking'), ['Parking is free.'])
  await base.put('a.md', ['Parking costs two euros.'])
  await base.put('b.md', [])
  assert.deepEqual(await texts(base.base, 'parking'), ['Parking costs two euros.'])
  assert.deepEqual(await texts(base.base, 'free'), [])
  const { rows } = await deployment.sql(
    `select term, t.chunks from knowledge_terms t join knowledge_bases b on b.number = t.base where b.id = $1 order by 1`,
    [base.id],
  )
  assert.deepEqual(
    rows.map(({ term, chunks }) => `${term} ${chunks}`),
    ['cost 1', 'euro 1', 'park 1', 'two 1'],
  )
})

test('two gateways that replace documents of a base at once keep its counts', async () => {
  const other = await deployment.another()
  const here = await baseOf({})
  const there = inGateway(other, here)
  const rounds = Array.from({ length: 10 }, (_, round) => round)
  await Promise.all(
    rounds.flatMap((round) => [
      here.put(`a-${round % 3}`, [`alpha beta ${round}`, 'gamma']),
      there.put(`b-${round % 3}`, [`beta alpha ${round}`, 'delta']),
    ]),
  )
  const count = async (from: string) =>
    (await deployment.sql(from, [here.id])).rows.map(({ term, chunks }) => `${term} ${chunks}`)
  const kept = await count(
    `select term, t.chunks from knowledge_terms t join knowledge_bases b on b.number = t.base where b.id = $1 order by 1`,
  )
  const real = await count(
    `select split_part(lexeme, '/', 2) collate "C" as term, count(*)::int as chunks
     from knowledge_words w join knowledge_bases b on b.number = w.base, unnest(words) where b.id = $1 group by 1 order by 1`,
  )
  assert.deepEqual(kept, real)
  assert.ok(kept.length > 4)
})

test('a base that is deleted leaves nothing behind', async () => {
  const base = await baseOf(bakery)
  const { rows } = await deployment.sql(`select number from knowledge_bases where id = $1`, [base.id])
  await deployment.sql(`delete from knowledge_bases where id = $1`, [base.id])
  for (const table of ['knowledge_terms', 'knowledge_languages', 'knowledge_words']) {
    const left = await deployment.sql(`select from ${table} where base = $1`, [rows[0].number])
    assert.equal(left.rowCount, 0, table)
  }
})

test('hostile queries are answered', async () => {
  const { base } = await baseOf(bakery)
  for (const query of [
    '?!… — ;;; """ \'\'\'',
    `'; drop table knowledge_chunks; --`,
    `a | b & !c <-> 'd':*A \\`,
    '|'.repeat(1000),
    '🙂🙃👩‍👩‍👧‍👦',
    'x'.repeat(1000),
    'bread '.repeat(166),
    Array.from({ length: 200 }, (_, n) => `w${n}`).join(' '),
    'the and of to',
    '\u0000'.padEnd(5, 'a').slice(1),
    'ﬁnd %_^ /\\ 1/bread',
    '営'.repeat(1000),
    '\ud800 bread',
  ])
    assert.equal((await admin.client.post(`/v1/bases/${base}/search`, { query })).status, 200, query)
  assert.equal((await texts(base, `'bread' & | costs:*`))[0], 'A loaf of rye bread costs four euros.')
})

test('a search that cannot be made is refused in a sentence', async () => {
  const { base } = await baseOf(bakery)
  const at = `/v1/bases/${base}/search`
  const post = (body: object, path = at) => admin.client.post(path, body)
  refused(await post({ query: ' ' }), 400, '`query` is blank: write what to search for')
  refused(await post({ query: 'a'.repeat(1001) }), 400, '`query` must be at most 1000 characters (got 1001)')
  refused(await post({ query: 'a', k: 0 }), 400, '`k` must be between 1 and 50 (got 0)')
  refused(await post({ query: 'a', k: 51 }), 400, '`k` must be between 1 and 50 (got 51)')
  refused(await post({ query: 'a', min_score: 2 }), 400, '`min_score` must be between 0 and 1 (got 2)')
  refused(await post({ query: 'a' }, '/v1/bases/none/search'), 404, 'there is no base none')
  refused(await admin.client.get('/v1/bases/none/missed'), 404, 'there is no base none')
  refused(
    await admin.client.get(`/v1/bases/${base}/missed?limit=101`),
    422,
    'limit: must be a whole number from 1 to 100',
  )
})

test('a base is found by its own org and environment alone, and one that is bound to agents by who works on them', async () => {
  const { base } = await baseOf(bakery, { agents: ['desk'] })
  const at = `/v1/bases/${base}/search`
  const asked = { query: 'bread' }
  const stranger = await (await deployment.newOrg()).person('admin')
  refused(await stranger.client.post(at, asked), 404, `there is no base ${base}`)
  const production = await org.serverToken('production', { scopes: ['knowledge'] })
  refused(await production.client.post(at, asked), 404, `there is no base ${base}`)
  const onDesk = await org.person('developer', { agents: ['desk', 'shop'] })
  assert.equal((await onDesk.client.post(at, asked)).status, 200)
  const onShop = await org.person('developer', { agents: ['shop'] })
  refused(await onShop.client.post(at, asked), 404, `there is no base ${base}`)
  const app = await org.serverToken('sandbox', { scopes: ['app'] })
  assert.equal((await app.client.post(at, asked)).status, 403)
  const knowing = await org.serverToken('sandbox', { scopes: ['knowledge'] })
  assert.equal((await knowing.client.post(at, asked)).status, 200)
})

test('a search that is given up is left at once, whatever the database does', async () => {
  const { base } = await baseOf(bakery)
  const { knowledgeSearch, database } = deployment.gateway.services
  const reach = { org: org.id, env: 'sandbox', agents: null } as const
  const given = new AbortController()
  await database.transaction(async (tx) => {
    await tx.rows(statement('lock table knowledge_terms in access exclusive mode'))
    const searching = knowledgeSearch.search(reach, base, {
      query: 'bread',
      k: 5,
      minScore: 0,
      signal: given.signal,
    })
    given.abort(new Error('the deadline has passed'))
    await assert.rejects(searching, /the deadline has passed/)
  })
})

test('the best score is also of what lies below the minimum, and null if nothing was found', async () => {
  const { base } = await baseOf(bakery)
  const reach = { org: org.id, env: 'sandbox', agents: null } as const
  const find = (query: string) =>
    deployment.gateway.services.knowledgeSearch.search(reach, base, { query, k: 5, minScore: 1 })
  const low = await find('rye and unicorns')
  assert.deepEqual(low.passages, [])
  assert.ok(low.bestScore !== null && low.bestScore > 0 && low.bestScore < 1)
  assert.equal((await find('unicorns')).bestScore, null)
})

test('a search of a call does not wait for those that people ask for', async () => {
  const { base } = await baseOf(bakery)
  const { knowledgeSearch, slowDatabase } = deployment.gateway.services
  const { pool } = slowDatabase
  const taken = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()))
  const asked = admin.client.post(`/v1/bases/${base}/search`, { query: 'bread' })
  const reach = { org: org.id, env: 'sandbox', agents: ['desk'] } as const
  try {
    await until('the search waits', async () => pool.waitingCount === 1)
    const { passages } = await knowledgeSearch.search(reach, base, { query: 'bread', k: 5, minScore: 0 })
    assert.equal(passages.length, 1)
    assert.equal(pool.waitingCount, 1)
  } finally {
    for (const client of taken) client.release()
  }
  assert.equal((await asked).status, 200)
})
