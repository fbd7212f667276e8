import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { done } from '../../../testing/agents/test-agents.ts'
import { startDnsServer } from '../../../testing/dns-server.ts'
import { GatewayProcess } from '../../../testing/gateway-process.ts'
import { KnowledgeDeployment } from '../../../testing/knowledge/knowledge-deployment.ts'
import { until } from '../../../testing/until.ts'

const dns = await startDnsServer()
dns.set('site.example.test', { A: ['127.0.0.1'] })
let isHanging = true
let asked = 0
const site = createServer((_request, response) => {
  asked += 1
  response.writeHead(200, { 'content-type': 'text/markdown' })
  if (isHanging) response.write('# Half')
  else response.end('# Whole\n\nText.')
})
await new Promise<void>((listening) => site.listen(0, '127.0.0.1', listening))
const { port } = site.address() as AddressInfo
const reach = { SVC_RESOLVER: dns.address, SVC_PRIVATE_HOSTS: 'site.example.test' }
const knowledge = await KnowledgeDeployment.start(reach)
after(async () => {
  await knowledge[Symbol.asyncDispose]()
  site.closeAllConnections()
  site.close()
  await dns[Symbol.asyncDispose]()
})
const { deployment } = knowledge

test('a document whose gateway is killed in the middle of it is read by another one, once', async () => {
  const { client, base, read, chunksOf, org } = await knowledge.newBase()
  const { key } = await org.serverToken('sandbox', { scopes: ['knowledge'] })
  const { readingTasks, tasks, bases } = deployment.gateway.services
  await tasks.stop(readingTasks.task) // this gateway reads nothing yet
  bases.onQueued = () => {}
  await using killed = await GatewayProcess.start(deployment, { ...reach, SVC_RECORDINGS: knowledge.folder })
  const made = await fetch(`${killed.url}${base}/documents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: `http://site.example.test:${port}/page.md` }),
  })
  const { documents } = (await made.json()) as { documents: { id: string }[] }
  const id = documents[0]?.id ?? assert.fail('a document is added')
  await until('the other gateway is in the middle of it', () => asked === 1)
  await killed.kill()
  assert.equal(done(await client.get(`${base}/documents/${id}`)).state, 'reading')
  isHanging = false
  tasks.start(readingTasks.task)
  deployment.clock.forward(31_000)
  const ready = await read(id)
  assert.deepEqual([ready.state, ready.chunks, asked], ['ready', 1, 2])
  assert.deepEqual(await chunksOf(id), [{ heading: ['Whole'], text: 'Text.' }])
  const { rows } = await deployment.sql(`select attempts, reader from knowledge_documents where id = $1`, [
    id,
  ])
  assert.deepEqual(rows, [{ attempts: 0, reader: null }])
})

test('an org with many documents that wait does not keep another one from being read', async () => {
  const many = await knowledge.newBase()
  const few = await knowledge.newBase()
  await many.upload(Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`${n}.txt`, 'Text.'])))
  const [{ id }] = done(await few.upload({ 'one.txt': 'Text.' })).documents
  await few.read(id)
  const { documents } = done(await many.client.get(`${many.base}/documents?state=queued`))
  assert.ok(documents.length >= 10, `${documents.length} of the other org still wait`)
  const left = async () => done(await many.client.get(`${many.base}/documents?state=ready`)).documents
  await until('all are read in the end', async () => (await left()).length === 20, 120_000)
})
