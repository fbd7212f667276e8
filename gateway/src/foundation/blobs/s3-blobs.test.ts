import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { blobStoreSuite, inChunks } from '../../../testing/blobs/blob-store-suite.ts'
import { S3Server } from '../../../testing/blobs/s3-server.ts'
import { freePort } from '../../../testing/ports.ts'
import type { BlobStore } from './blob-store.ts'
import { S3Blobs } from './s3-blobs.ts'
import { readS3Settings, type S3Settings } from './s3-settings.ts'

const server = await S3Server.start()
after(() => server[Symbol.asyncDispose]())
const open = (more: Partial<S3Settings> = {}) => new S3Blobs({ ...server.settings, ...more })

blobStoreSuite('a bucket', Promise.resolve({ blobs: open(), another: open(), keys: () => server.keys() }))

const failure = (blobs: BlobStore) =>
  blobs.check().then(
    () => 'none',
    (error: Error) => error.message,
  )

test('a link is read without a key, whole and in part, as a download of that name, and not otherwise than it says', async () => {
  const blobs = open()
  await blobs.put('org_1/call_1.wav', inChunks(Buffer.from('0123456789')), 'audio/wav')
  const { url, expiresAt } = await blobs.link('org_1/call_1.wav', {
    name: 'call 1+2.wav',
    mediaType: 'audio/wav',
  })
  const whole = await fetch(url)
  assert.deepEqual([whole.status, await whole.text()], [200, '0123456789'])
  assert.equal(whole.headers.get('content-disposition'), 'attachment; filename="call 1+2.wav"')
  assert.equal(whole.headers.get('content-type'), 'audio/wav')
  const part = await fetch(url, { headers: { range: 'bytes=2-4' } })
  assert.deepEqual([part.status, await part.text()], [206, '234'])
  const leftMs = expiresAt.getTime() - Date.now()
  assert.ok(leftMs > 200_000 && leftMs <= 300_000)
  assert.match(url, /X-Amz-Expires=300/)
  for (const other of [url.replace('call_1', 'call_2'), url.replace('Expires=300', 'Expires=30000')])
    assert.equal((await fetch(other)).status, 403)
  assert.equal((await fetch(url, { method: 'DELETE' })).status, 403)
  await blobs.remove(['org_1/call_1.wav'])
})

test('several deployments share a bucket under prefixes of their own', async () => {
  const [one, two] = [open({ prefix: 'eu/one/' }), open({ prefix: 'two/' })]
  await one.put('org_1/a.wav', inChunks(Buffer.from('one')), 'audio/wav')
  await two.put('org_1/a.wav', inChunks(Buffer.from('two')), 'audio/wav')
  assert.deepEqual(await server.keys(), ['eu/one/org_1/a.wav', 'two/org_1/a.wav'])
  await two.remove(['org_1/a.wav'])
  const kept = await one.read('org_1/a.wav')
  assert.equal(kept && (await buffer(kept)).toString(), 'one')
  await one.remove(['org_1/a.wav'])
})

test('wrong credentials, a missing bucket and a storage that is away are sentences for the operator', async () => {
  const at = `the object storage at ${new URL(server.url).host}`
  const refused = `${at} refuses its credentials: check SVC_S3_KEY and SVC_S3_SECRET`
  assert.equal(await failure(open({ accessKey: 'other' })), `${refused} (InvalidAccessKeyId)`)
  assert.equal(await failure(open({ secretKey: 'other' })), `${refused} (SignatureDoesNotMatch)`)
  const missing = await failure(open({ bucket: 'elsewhere' }))
  assert.equal(missing, `${at} has no bucket elsewhere: make it, or set SVC_S3_BUCKET (NoSuchBucket)`)
  const port = await freePort()
  const away = await failure(open({ endpoint: `http://127.0.0.1:${port}` }))
  assert.equal(away, `the object storage at 127.0.0.1:${port} does not answer: ECONNREFUSED`)
})

test('a request that the storage is too busy for is sent again, and an upload asks for encryption each time', async () => {
  const asked: string[] = []
  const busy = createServer((request, response) => {
    asked.push(`${request.method} ${String(request.headers['x-amz-server-side-encryption'])}`)
    request.resume().on('end', () => response.writeHead(asked.length < 3 ? 503 : 200).end())
  })
  await new Promise<void>((resolve) => void busy.listen(0, '127.0.0.1', resolve))
  const { port } = busy.address() as { port: number }
  const [header, key] = ['x-amz-server-side-encryption', 'x-amz-server-side-encryption-aws-kms-key-id']
  const encryption = { [header]: 'aws:kms', [key]: 'alias/ours' }
  const blobs = open({ endpoint: `http://127.0.0.1:${port}`, encryption })
  await blobs.put('org_1/a.wav', inChunks(Buffer.from('x')), 'audio/wav')
  assert.deepEqual(asked, Array(3).fill('PUT aws:kms'))
  busy.close().closeAllConnections()
})

test('the settings of a bucket are read together and checked, and no secret is repeated', () => {
  const read = (variables: Record<string, string>) =>
    readS3Settings((name, parse) => (variables[name] === undefined ? undefined : parse(variables[name])))
  const needed = { SVC_S3_BUCKET: 'sound', SVC_S3_KEY: 'k', SVC_S3_SECRET: 's' }
  assert.equal(read({ SVC_S3_KEY: 'k' }), undefined)
  assert.deepEqual(
    read({ ...needed, SVC_S3_REGION: 'eu-central-1', SVC_S3_PREFIX: '/a//b', SVC_S3_SSE: 'AES256' }),
    {
      endpoint: 'https://s3.eu-central-1.amazonaws.com',
      region: 'eu-central-1',
      bucket: 'sound',
      prefix: 'a/b/',
      accessKey: 'k',
      secretKey: 's',
      encryption: { 'x-amz-server-side-encryption': 'AES256' },
    },
  )
  const kms = read({ ...needed, SVC_S3_SSE: 'aws:kms:arn:aws:kms:eu:1:key/2' })?.encryption
  assert.equal(kms?.['x-amz-server-side-encryption-aws-kms-key-id'], 'arn:aws:kms:eu:1:key/2')
  for (const [wrong, sentence] of [
    [{ SVC_S3_SECRET: '' }, /^SVC_S3_SECRET is not set: a bucket needs both SVC_S3_KEY and SVC_S3_SECRET$/],
    [{ SVC_S3_BUCKET: '../x' }, /^is not the name of a bucket: /],
    [{ SVC_S3_REGION: 'a.b/' }, /^is not the name of a region: /],
    [
      { SVC_S3_PREFIX: 'a/../b' },
      /^is not names of letters, digits, dots, dashes and underscores with \/ between/,
    ],
    [{ SVC_S3_SSE: 'rot13' }, /^is not AES256, aws:kms, or aws:kms: and the id of a key: rot13$/],
  ] as const) {
    const { SVC_S3_SECRET, ...others } = { ...needed, ...wrong }
    const variables = SVC_S3_SECRET === '' ? others : { ...others, SVC_S3_SECRET }
    assert.throws(() => read(variables), { message: sentence })
  }
})
