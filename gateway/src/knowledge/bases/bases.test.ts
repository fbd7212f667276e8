import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { done } from '../../../testing/agents/test-agents.ts'
import { refused } from '../../../testing/client.ts'
import { noLimit } from '../../../testing/deployment.ts'
import { KnowledgeDeployment } from '../../../testing/knowledge/knowledge-deployment.ts'

const knowledge = await KnowledgeDeployment.start()
after(() => knowledge[Symbol.asyncDispose]())
const { deployment } = knowledge
const at = '/v1/bases'

test('a base is created, changed, listed in its environment alone and deleted', async () => {
  const org = await deployment.newOrg()
  const { client } = await org.person('developer', { production: true })
  const made = done(
    await client.post(at, { base: 'faq', description: 'Questions', agents: ['sales', 'desk', 'desk'] }),
  )
  assert.deepEqual(
    [made.base, made.description, made.language, made.embed, made.agents, made.documents, made.used_by],
    ['faq', 'Questions', null, null, ['desk', 'sales'], 0, []],
  )
  refused(
    await client.post(at, { base: 'faq' }),
    409,
    'this org has a base faq in sandbox: choose another name',
  )
  assert.deepEqual(done(await client.get(at)), { bases: [made] })
  assert.deepEqual(done(await client.in('production').get(at)), { bases: [] })
  refused(await client.in('production').get(`${at}/faq`), 404, 'this org has no base faq in production')
  done(await client.in('production').post(at, { base: 'faq' }))
  const changed = done(await client.patch(`${at}/faq`, { language: 'pt-BR', agents: null }))
  assert.deepEqual([changed.description, changed.language, changed.agents], ['Questions', 'pt-BR', null])
  assert.equal((await client.delete(`${at}/faq`)).status, 204)
  refused(await client.delete(`${at}/faq`), 404, 'this org has no base faq in sandbox')
  assert.equal(done(await client.in('production').get(at)).bases.length, 1)
})

test('what cannot be a base is refused with what would be', async () => {
  const { client } = await (await deployment.newOrg()).serverToken('sandbox', { scopes: ['knowledge'] })
  for (const [wanted, sentence] of [
    [{ base: 'Über' }, /^base is a name of 1 to 60 lower-case letters, digits, `-` and `_` that begins/],
    [{ base: 'a'.repeat(61) }, /^base is a name of 1 to 60/],
    [{ base: 'a', description: 'x'.repeat(501) }, 'description is at most 500 characters'],
    [{ base: 'a', language: 'German' }, /^language is a tag such as de or pt-BR, or null/],
    [{ base: 'a', embed: 'best' }, /^embed: this version makes no embeddings; leave it out/],
    [{ base: 'a', agents: [] }, 'agents is a list of 1 to 100 agents, or null for all'],
    [{ base: 'a', agents: [''] }, 'agents: an agent has a name of 1 to 64 characters'],
  ] as const)
    refused(await client.post(at, wanted), 400, sentence)
})

test('another org, a key without the scope and a token of the other environment see nothing of a base', async () => {
  const { org, base } = await knowledge.newBase()
  const other = await (await deployment.newOrg()).serverToken('sandbox', { scopes: ['knowledge'] })
  refused(await other.client.get(base), 404, /^this org has no base/)
  refused(await other.client.delete(base), 404, /^this org has no base/)
  refused(
    await other.client.post(`${base}/documents`, { name: 'a', text: 'a' }),
    404,
    /^this org has no base/,
  )
  const production = await org.serverToken('production', { scopes: ['knowledge'] })
  refused(await production.client.get(base), 404, /^this org has no base/)
  const { client } = await org.serverToken('sandbox', { scopes: ['calls'] })
  refused(await client.get(at), 403, 'this key does not open knowledge: it opens calls')
})

test('someone who works on some agents sees bases that one of these searches, and changes those that are bound to agents', async () => {
  const org = await deployment.newOrg()
  const all = (await org.person('developer')).client
  const desk = (await org.person('developer', { agents: ['desk'] })).client
  for (const [base, agents] of [
    ['every', null],
    ['shared', ['desk', 'sales']],
    ['sales', ['sales']],
    ['own', ['desk']],
  ] as const)
    done(await all.post(at, { base, agents }))
  const seen = done(await desk.get(at)).bases.map(({ base }: { base: string }) => base)
  assert.deepEqual(seen, ['every', 'own', 'shared'])
  refused(await desk.get(`${at}/sales`), 404, 'this org has no base sales in sandbox')
  const whole =
    'base every serves every agent, and this key works on desk alone: ask someone who works on all'
  refused(await desk.patch(`${at}/every`, { description: 'x' }), 403, whole)
  refused(await desk.post(`${at}/every/documents`, { name: 'a', text: 'a' }), 403, whole)
  refused(await desk.delete(`${at}/every`), 403, whole)
  done(await desk.patch(`${at}/shared`, { description: 'x' }))
  done(await desk.post(`${at}/shared/documents`, { name: 'a', text: 'a' }))
  refused(await desk.delete(`${at}/shared`), 403, 'this key works on desk alone')
  refused(await desk.patch(`${at}/shared`, { agents: ['desk'] }), 403, 'this key works on desk alone')
  refused(await desk.patch(`${at}/own`, { agents: ['desk', 'sales'] }), 403, 'this key works on desk alone')
  const choose = 'agents: choose from those of your key: desk'
  refused(await desk.patch(`${at}/own`, { agents: null }), 403, choose)
  refused(await desk.post(at, { base: 'new' }), 403, choose)
  done(await desk.post(at, { base: 'new', agents: ['desk'] }))
  assert.equal((await desk.delete(`${at}/own`)).status, 204)
})

test('a base names the agents whose settings name it, and a narrowed key sees its own alone', async () => {
  const org = await deployment.newOrg()
  const { client } = await org.person('developer')
  done(await client.post(at, { base: 'faq' }))
  for (const agent of ['desk', 'sales'])
    done(
      await client.put(`/v1/agents/${agent}/settings`, {
        config: { bases: [{ base: 'faq' }] },
        if_version: 0,
        team: agent === 'desk',
      }),
    )
  assert.deepEqual(done(await client.get(`${at}/faq`)).used_by, ['desk', 'sales'])
  const narrowed = (await org.person('developer', { agents: ['desk'] })).client
  assert.deepEqual(done(await narrowed.get(`${at}/faq`)).used_by, ['desk'])
})

test('a base that is deleted leaves no row, no original and no count', async () => {
  const { org, client, base, read, upload } = await knowledge.newBase()
  const { documents } = done(await upload({ 'a.md': '# A\n\nText.', 'b.txt': 'Other text.' }))
  for (const { id } of documents) assert.equal((await read(id)).state, 'ready')
  assert.equal((await knowledge.blobsOf(org)).length, 2)
  assert.equal((await client.delete(base)).status, 204)
  assert.deepEqual(await knowledge.blobsOf(org), [])
  for (const table of ['knowledge_documents', 'knowledge_bases'])
    assert.deepEqual((await deployment.sql(`select from ${table} where org = $1`, [org.id])).rows, [], table)
  const { rows } = await deployment.sql(
    `select bases, documents, bytes, chunks from knowledge_held where org = $1`,
    [org.id],
  )
  assert.deepEqual(rows, [{ bases: 0, documents: 0, bytes: 0, chunks: 0 }])
})

test('of requests at the same moment on two gateways as many make a base as the cap allows', async () => {
  await using other = await deployment.another()
  const org = await deployment.newOrg()
  const caps = { ...noLimit, bases: 3 }
  done(await deployment.operator.put(`/v1/ops/orgs/${org.slug}/quotas`, caps))
  const { key, client } = await org.serverToken('sandbox', { scopes: ['knowledge'] })
  const clients = [client, other.anonymous.as(key)] as const
  const made = await Promise.all(
    Array.from({ length: 8 }, (_, n) => (n % 2 ? clients[1] : clients[0]).post(at, { base: `b${n}` })),
  )
  assert.deepEqual(
    made.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, 201, 201, 429, 429, 429, 429, 429],
  )
  const full = await client.post(at, { base: 'more' })
  refused(full, 429, 'this org may hold 3 bases and has 3: delete some, or ask the operator for more')
  assert.equal(full.body.code, 'QUOTA_EXCEEDED')
})
