import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { largestDocumentBytes } from '@switchroom/contract/knowledge-names'
import { done } from '../../../testing/agents/test-agents.ts'
import { refused } from '../../../testing/client.ts'
import { noLimit } from '../../../testing/deployment.ts'
import { KnowledgeDeployment, upload } from '../../../testing/knowledge/knowledge-deployment.ts'

const knowledge = await KnowledgeDeployment.start()
after(() => knowledge[Symbol.asyncDispose]())
const { deployment } = knowledge

test('a text is kept, read into chunks by its headings, and downloaded as it came', async () => {
  const { client, base, read, chunksOf } = await knowledge.newBase()
  const text = '# Prices\n\nWashing costs 5 euro.\n\n## Drying\n\nDrying is free.\n'
  const { documents } = done(await client.post(`${base}/documents`, { name: 'prices.md', text }))
  assert.equal(documents.length, 1)
  const [{ id, state, format, source, bytes }] = documents
  assert.deepEqual([state, format, source, bytes], ['queued', 'markdown', 'text', text.length])
  const ready = await read(id)
  assert.deepEqual([ready.state, ready.chunks, ready.why], ['ready', 2, null])
  assert.deepEqual(await chunksOf(id), [
    { heading: ['Prices'], text: 'Washing costs 5 euro.' },
    { heading: ['Prices', 'Drying'], text: 'Drying is free.' },
  ])
  const original = await client.raw(`${base}/documents/${id}/content`)
  assert.equal(original.text, text)
  assert.equal(original.headers.get('content-type'), 'text/markdown')
  assert.match(original.headers.get('content-disposition') ?? '', /^attachment; filename="prices\.md"/)
  const shown = done(await client.get(base))
  assert.deepEqual([shown.documents, shown.chunks, shown.bytes], [1, 2, text.length])
})

test('several files are uploaded at once, each with its own name and path, and none if one is refused', async () => {
  const { client, base, org, upload: send } = await knowledge.newBase()
  const files = { 'help/Preise für alle.md': '# Preise', '../../etc/passwd.txt': 'root', 'c.csv': 'a,b\n1,2' }
  const { documents } = done(await send(files))
  assert.deepEqual(
    documents.map(({ name, format }: { name: string; format: string }) => [name, format]),
    [
      ['help/Preise für alle.md', 'markdown'],
      ['etc/passwd.txt', 'text'],
      ['c.csv', 'csv'],
    ],
  )
  const kept = await knowledge.blobsOf(org)
  refused(
    await send({ 'new.md': 'new', 'c.csv': 'again' }),
    409,
    /^base \S+ has a document c\.csv: replace that one, or choose another name$/,
  )
  refused(
    await send({ 'new.md': 'new', 'tool.exe': 'MZ' }),
    400,
    /^tool\.exe does not say its format: name it/,
  )
  assert.deepEqual(await knowledge.blobsOf(org), kept)
  const names = done(await client.get(`${base}/documents`)).documents.map(
    ({ name }: { name: string }) => name,
  )
  assert.deepEqual(names.toSorted(), ['c.csv', 'etc/passwd.txt', 'help/Preise für alle.md'])
})

test('what cannot be added is refused with what would be', async () => {
  const { client, base, upload: send } = await knowledge.newBase()
  for (const [wanted, sentence] of [
    [{ name: 'a.md' }, 'a document has either a text or a url; a file is uploaded as multipart/form-data'],
    [{ name: 'a.md', text: 'a', url: 'https://example.com' }, /^a document has either a text or a url/],
    [{ text: 'a' }, 'name is needed: such as prices.md'],
    [{ name: 'a\nb', text: 'a' }, 'name is one line of 1 to 200 characters, such as prices.md'],
    [
      { name: 'a', text: 'a', format: 'rtf' },
      'format is one of markdown, text, html, pdf, docx, csv (got rtf)',
    ],
    [{ name: 'a.pdf', text: 'a' }, 'a pdf document is uploaded as a file'],
    [{ name: 'a', text: 'a', refetch_s: 4000 }, 'headers and refetch_s are for a document from a url'],
    [{ url: 'ftp://example.com' }, /^url is an address of https or http of at most 2000 characters/],
    [
      { url: 'https://example.com', refetch_s: 60 },
      'refetch_s must be between 3600 and 7776000, or null: by hand (got 60)',
    ],
    [{ url: 'https://example.com', headers: { host: 'x' } }, 'headers: host cannot be sent'],
    [
      { url: 'https://example.com', headers: { a: 'ü' } },
      'headers: the value of a is at most 2000 characters of ASCII',
    ],
  ] as const)
    refused(await client.post(`${base}/documents`, wanted), 400, sentence)
  refused(await send({}, { name: 'x' }), 400, /^the upload has no file/)
  refused(await send({ 'a.md': 'a', 'b.md': 'b' }, { name: 'x' }), 400, 'name is for an upload of one file')
  const many = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`${n}.md`, 'a']))
  refused(await send(many), 400, 'an upload has at most 20 files: send the rest in another')
  refused(
    await client.raw(`${base}/documents`, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data' },
      body: 'x',
    }),
    400,
    'the upload is no multipart/form-data that can be read',
  )
  assert.deepEqual(done(await client.get(`${base}/documents`)).documents, [])
})

test('a file that is too large is refused, one that breaks off leaves nothing, and neither holds up the next', async () => {
  const { client, base, org, upload: send } = await knowledge.newBase()
  refused(
    await send({ 'big.txt': Buffer.alloc(largestDocumentBytes + 1, 'a') }),
    413,
    'big.txt is larger than 20 MB, the most of a document: split it',
  )
  const { port, hostname } = new URL(deployment.url)
  const { key } = await org.serverToken('sandbox', { scopes: ['knowledge'] })
  const socket = connect(Number(port), hostname)
  const answer = textOf(socket).catch(() => '')
  socket.write(
    `POST ${base}/documents HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-length: 5000\r\n` +
      `content-type: multipart/form-data; boundary=x\r\n\r\n--x\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhalf`,
  )
  socket.end()
  await answer
  assert.deepEqual(await knowledge.blobsOf(org), [])
  assert.deepEqual(done(await client.get(`${base}/documents`)).documents, [])
  done(await send({ 'a.txt': 'whole' }))
})

test('a replaced document keeps its name and id, its old chunks until the new are there, and one original', async () => {
  const { client, base, org, read, chunksOf } = await knowledge.newBase()
  const [{ id }] = done(await client.post(`${base}/documents`, { name: 'a.md', text: 'Old.' })).documents
  await read(id)
  const path = `${base}/documents/${id}`
  const replaced = done(await upload(client, 'PUT', path, { 'other.txt': 'New and longer.' }))
  assert.deepEqual(
    [replaced.name, replaced.format, replaced.source, replaced.state, replaced.chunks],
    ['a.md', 'text', 'upload', 'queued', 1],
  )
  assert.equal((await read(id)).state, 'ready')
  assert.deepEqual(await chunksOf(id), [{ heading: [], text: 'New and longer.' }])
  assert.equal((await knowledge.blobsOf(org)).length, 1)
  assert.equal(done(await client.get(base)).bytes, 'New and longer.'.length)
  refused(
    await upload(client, 'PUT', path, { 'a.txt': 'a', 'b.txt': 'b' }),
    400,
    'a document is replaced by one file',
  )
  done(await client.put(path, { text: 'Third.' }))
  await read(id)
  assert.deepEqual(await chunksOf(id), [{ heading: [], text: 'Third.' }])
})

test('a document that fails says why, keeps what was found of it before, and is deleted without a rest', async () => {
  const { client, base, org, read, chunksOf } = await knowledge.newBase()
  const [{ id }] = done(await client.post(`${base}/documents`, { name: 'a.txt', text: 'Good.' })).documents
  await read(id)
  const path = `${base}/documents/${id}`
  done(await upload(client, 'PUT', path, { 'a.pdf': 'no pdf' }))
  const failed = await read(id)
  assert.deepEqual(
    [failed.state, failed.why, failed.chunks],
    ['failed', 'it is no PDF file that can be read: it may be damaged', 1],
  )
  assert.deepEqual(await chunksOf(id), [{ heading: [], text: 'Good.' }])
  assert.deepEqual(done(await client.get(`${base}/documents?state=failed`)).documents, [failed])
  assert.equal((await client.delete(path)).status, 204)
  refused(await client.get(path), 404, /^base \S+ has no document doc_\w+$/)
  refused(await client.delete(path), 404, /^base \S+ has no document doc_\w+$/)
  refused(await client.put(path, { text: 'a' }), 404, /^base \S+ has no document doc_\w+$/)
  refused(await client.post(`${path}/refetch`), 404, /^base \S+ has no document doc_\w+$/)
  refused(await client.get(`${path}/content`), 404, /^base \S+ has no document doc_\w+$/)
  assert.deepEqual(await chunksOf(id), [])
  assert.deepEqual(await knowledge.blobsOf(org), [])
})

test('documents are listed by pages, by state and by name', async () => {
  const { client, base, read, upload: send } = await knowledge.newBase()
  const names = ['a.txt', 'b.txt', 'c.txt']
  const { documents } = done(await send(Object.fromEntries(names.map((name) => [name, name]))))
  for (const { id } of documents) await read(id)
  const path = `${base}/documents`
  const first = done(await client.get(`${path}?limit=2`))
  assert.equal(first.documents.length, 2)
  const second = done(await client.get(`${path}?limit=2&after=${first.next}`))
  assert.equal(second.next, null)
  const listed = [...first.documents, ...second.documents].map(({ name }: { name: string }) => name)
  assert.deepEqual(listed.toSorted(), names)
  assert.equal(done(await client.get(`${path}?name=b.txt`)).documents[0].name, 'b.txt')
  assert.deepEqual(done(await client.get(`${path}?state=failed`)).documents, [])
  refused(
    await client.get(`${path}?state=broken`),
    400,
    'state is one of queued, reading, ready, failed (got broken)',
  )
  refused(await client.get(`${path}?limit=0`), 400, 'limit must be between 1 and 200 (got 0)')
  refused(await client.get(`${path}?after=x`), 422, 'after: must be the next of the page before')
  refused(
    await client.post(`${path}/${documents[0].id}/refetch`),
    409,
    /was not fetched from an address: replace it/,
  )
})

test('a change of the language reads documents anew, and the same text keeps the ids of its chunks', async () => {
  const { client, base, org, read } = await knowledge.newBase()
  const [{ id }] = done(
    await client.post(`${base}/documents`, { name: 'a.md', text: '# A\n\nOne.' }),
  ).documents
  await read(id)
  const ids = async () =>
    (await deployment.sql(`select id from knowledge_chunks where document = $1`, [id])).rows
  const before = await ids()
  done(await client.patch(base, { language: 'de' }))
  assert.equal((await read(id)).state, 'ready')
  assert.deepEqual(await ids(), before)
  assert.equal((await knowledge.blobsOf(org)).length, 1)
})

test('of uploads at the same moment on two gateways as many are kept as the cap allows, and a deletion makes room', async () => {
  await using other = await deployment.another()
  const { org, client, base } = await knowledge.newBase()
  const { key } = await org.serverToken('sandbox', { scopes: ['knowledge'] })
  done(await deployment.operator.put(`/v1/ops/orgs/${org.slug}/quotas`, { ...noLimit, documents: 2 }))
  const add = (n: number) =>
    (n % 2 ? other.anonymous.as(key) : client).post(`${base}/documents`, { name: `${n}.txt`, text: 'a' })
  const added = await Promise.all(Array.from({ length: 6 }, (_, n) => add(n)))
  assert.deepEqual(
    added.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, 201, 429, 429, 429, 429],
  )
  const full = 'this org may hold 2 documents and has 2: delete some, or ask the operator for more'
  refused(await client.post(`${base}/documents`, { name: 'x.txt', text: 'a' }), 429, full)
  assert.equal((await knowledge.blobsOf(org)).length, 2)
  const { documents } = done(await client.get(`${base}/documents`))
  await client.delete(`${base}/documents/${documents[0].id}`)
  done(await client.post(`${base}/documents`, { name: 'x.txt', text: 'a' }))
})

test('a document whose chunks are past the cap of the org fails with that', async () => {
  const { org, client, base, read } = await knowledge.newBase()
  done(await deployment.operator.put(`/v1/ops/orgs/${org.slug}/quotas`, { ...noLimit, chunks: 1 }))
  const [{ id }] = done(
    await client.post(`${base}/documents`, { name: 'a.md', text: '# A\n\na\n\n# B\n\nb' }),
  ).documents
  const failed = await read(id)
  assert.deepEqual(
    [failed.state, failed.why, failed.chunks],
    ['failed', 'this org may hold 1 chunks and has 0: delete some, or ask the operator for more', 0],
  )
})

test('without a place for large data documents are refused with what the operator sets', async () => {
  const { org, base } = await knowledge.newBase()
  await using bare = await deployment.another({ SVC_RECORDINGS: '' })
  const { key } = await org.serverToken('sandbox', { scopes: ['knowledge'] })
  refused(
    await bare.anonymous.as(key).post(`${base}/documents`, { name: 'a.md', text: 'a' }),
    503,
    'documents are not kept on this deployment: the operator sets SVC_RECORDINGS or SVC_S3_BUCKET',
  )
})
