import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { done } from '../../../testing/agents/test-agents.ts'
import { startDnsServer } from '../../../testing/dns-server.ts'
import { KnowledgeDeployment } from '../../../testing/knowledge/knowledge-deployment.ts'
import { until } from '../../../testing/until.ts'

const dns = await startDnsServer()
for (const host of ['site.example.test', 'other.example.test', 'private.example.test'])
  dns.set(host, { A: ['127.0.0.1'] })
let reply: (request: IncomingMessage, response: ServerResponse) => void = () => {}
const asked: { path: string; headers: IncomingMessage['headers'] }[] = []
const site = createServer((request, response) => {
  asked.push({ path: request.url ?? '', headers: request.headers })
  reply(request, response)
})
await new Promise<void>((listening) => site.listen(0, '127.0.0.1', listening))
const { port } = site.address() as AddressInfo
const knowledge = await KnowledgeDeployment.start({
  SVC_RESOLVER: dns.address,
  SVC_PRIVATE_HOSTS: 'site.example.test, other.example.test',
})
after(async () => {
  await knowledge[Symbol.asyncDispose]()
  site.close()
  await dns[Symbol.asyncDispose]()
})
const { deployment } = knowledge
const at = (path: string, host = 'site.example.test') => `http://${host}:${port}${path}`
const askedFor = (path: string) => asked.filter((each) => each.path.startsWith(path))
const page =
  (text: string, headers: Record<string, string> = {}) =>
  (_: unknown, response: ServerResponse) =>
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(text)

test('an address is fetched with its headers, and neither they nor what looks secret in it is shown or kept open', async () => {
  const { client, base, read, chunksOf } = await knowledge.newBase()
  reply = page('<html><body><nav>Menu</nav><main><h1>Opening</h1><p>At nine.</p></main></body></html>')
  const url = at('/hours?lang=en&token=s3cr3t-value').replace('http://', 'http://ana:pass-word@')
  const headers = { 'x-key': 'header-value' }
  const { documents } = done(await client.post(`${base}/documents`, { url, headers }))
  const [{ id, name }] = documents
  assert.equal(name, 'hours')
  const ready = await read(id)
  assert.deepEqual([ready.state, ready.why, ready.format, ready.source], ['ready', null, 'html', 'url'])
  assert.equal(ready.url, at('/hours?lang=en&token=***'))
  assert.deepEqual(await chunksOf(id), [{ heading: ['Opening'], text: 'At nine.' }])
  const [sent] = askedFor('/hours')
  assert.equal(sent?.path, '/hours?lang=en&token=s3cr3t-value')
  assert.equal(sent?.headers['x-key'], 'header-value')
  assert.equal(sent?.headers.authorization, `Basic ${Buffer.from('ana:pass-word').toString('base64')}`)
  const { rows } = await deployment.sql(`select * from knowledge_documents where id = $1`, [id])
  const row = JSON.stringify(rows) + rows[0].sealed.toString('latin1')
  const all = row + deployment.log()
  for (const secret of ['s3cr3t-value', 'header-value', 'pass-word']) assert.ok(!all.includes(secret), secret)
})

test('an address that answers the same is not read anew, and one that changed is', async () => {
  const { client, base, org, read, chunksOf } = await knowledge.newBase()
  let tag = '"1"'
  let text = 'First.'
  reply = (request, response) =>
    request.headers['if-none-match'] === tag
      ? response.writeHead(304).end()
      : response.writeHead(200, { 'content-type': 'text/plain', etag: tag }).end(text)
  const wanted = { url: at('/tagged.txt'), refetch_s: 3600 }
  const [{ id }] = done(await client.post(`${base}/documents`, wanted)).documents
  const first = await read(id)
  const rows = (await deployment.sql(`select xmin from knowledge_chunks where document = $1`, [id])).rows
  done(await client.post(`${base}/documents/${id}/refetch`))
  const again = await read(id)
  assert.deepEqual([again.state, again.chunks, again.digest], ['ready', 1, first.digest])
  assert.equal(askedFor('/tagged.txt').at(-1)?.headers['if-none-match'], '"1"')
  assert.deepEqual(
    (await deployment.sql(`select xmin from knowledge_chunks where document = $1`, [id])).rows,
    rows,
  )
  tag = '"2"'
  text = 'Second.'
  const before = askedFor('/tagged.txt').length
  deployment.clock.forward(3_601_000)
  await until('it is fetched again by its schedule', () => askedFor('/tagged.txt').length > before)
  await until('the new text is found', async () => (await chunksOf(id))[0]?.text === 'Second.')
  await until('the old one is removed', async () => (await knowledge.blobsOf(org)).length === 1)
  assert.equal(done(await client.get(base)).bytes, 'Second.'.length)
})

test('a redirect is followed to checked addresses alone, and headers go to no other host', async () => {
  const { client, base, read } = await knowledge.newBase()
  reply = (request, response) => {
    const to = {
      '/to-other': at('/landed', 'other.example.test'),
      '/to-private': at('/landed', 'private.example.test'),
      '/to-file': 'file:///etc/passwd',
      '/loop': '/loop',
    }[request.url ?? '']
    if (to === undefined) page('<p>Landed.</p>')(request, response)
    else response.writeHead(302, { location: to }).end()
  }
  const fetched = async (path: string, host?: string) => {
    const wanted = {
      name: `${path.slice(1)}-${host ?? ''}`,
      url: at(path, host),
      headers: { 'x-key': 'mine' },
    }
    const [{ id }] = done(await client.post(`${base}/documents`, wanted)).documents
    return read(id)
  }
  assert.equal((await fetched('/to-other')).state, 'ready')
  assert.equal(askedFor('/to-other')[0]?.headers['x-key'], 'mine')
  assert.equal(askedFor('/landed')[0]?.headers['x-key'], undefined)
  const refusedHost = 'it cannot be fetched: private.example.test resolves to an address that is not public'
  assert.equal((await fetched('/to-private')).why, refusedHost)
  assert.equal((await fetched('/direct', 'private.example.test')).why, refusedHost)
  assert.equal((await fetched('/to-file')).why, `site.example.test:${port} redirects to no page`)
  assert.equal((await fetched('/loop')).why, 'it redirects more than 5 times')
  assert.equal(askedFor('/landed').length, 1)
})

test('an address that answers a refusal, another format or too much fails with that', async () => {
  const { client, base, read } = await knowledge.newBase()
  reply = (request, response) => {
    if (request.url === '/missing') response.writeHead(404).end()
    else if (request.url === '/film') response.writeHead(200, { 'content-type': 'video/mp4' }).end('x')
    else
      response.writeHead(200, { 'content-type': 'text/plain' }).end(Buffer.alloc(20 * 1024 * 1024 + 1, 'a'))
  }
  const why = async (path: string) => {
    const [{ id }] = done(await client.post(`${base}/documents`, { url: at(path) })).documents
    return (await read(id)).why
  }
  assert.equal(await why('/missing'), `site.example.test:${port} answered 404`)
  assert.equal(
    await why('/film'),
    'it is sent as video/mp4, which is no format of documents: name its format',
  )
  assert.equal(await why('/large'), `site.example.test:${port} answers more than 20 MB`)
})
