import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { blobStoreSuite, inChunks } from '../../../testing/blobs/blob-store-suite.ts'
import { missingMoto, MotoServer } from '../../../testing/blobs/moto-server.ts'
import { S3Blobs } from './s3-blobs.ts'
import { S3Requests } from './s3-requests.ts'
import { elementsIn } from './s3-xml.ts'

const starting = missingMoto === false ? MotoServer.start() : undefined
after(async () => (await starting)?.[Symbol.asyncDispose]())

async function opened() {
  const { settings } = (await starting) ?? assert.fail('moto is missing')
  const requests = new S3Requests(settings, undefined)
  const [blobs, another] = [new S3Blobs(settings), new S3Blobs(settings)]
  const keys = async () => {
    const { text } = await requests.ask({ method: 'GET', query: { 'list-type': '2' } })
    return elementsIn(text, 'Key')
  }
  const uploads = async () => {
    const { text } = await requests.ask({ method: 'GET', query: { uploads: '' } })
    return elementsIn(text, 'Upload').flatMap((upload) => elementsIn(upload, 'Key'))
  }
  return { blobs, another, keys, uploads, requests }
}

if (starting) blobStoreSuite('a bucket of moto', opened())

test(
  'uploads that a dead gateway left unfinished are aborted by their key, and no others',
  { skip: missingMoto },
  async () => {
    const { blobs, requests, uploads } = await opened()
    for (const key of ['org_1/dead.wav', 'org_1/dead.wav.other'])
      assert.equal((await requests.ask({ method: 'POST', key, query: { uploads: '' } })).status, 200)
    await blobs.removeUnfinished('org_1/dead.wav')
    assert.deepEqual(await uploads(), ['org_1/dead.wav.other'])
    await blobs.removeUnfinished('org_1/dead.wav.other')
  },
)

test('an upload that breaks off is aborted at once', { skip: missingMoto }, async () => {
  const { blobs, uploads } = await opened()
  const breaking = async function* () {
    yield* inChunks(randomBytes(6 * 1024 * 1024))
    throw new Error('the sender is gone')
  }
  await assert.rejects(blobs.put('org_1/broken.wav', breaking(), 'audio/wav'), {
    message: 'the sender is gone',
  })
  assert.deepEqual(await uploads(), [])
})

test('short and long blobs are encrypted as it is set', { skip: missingMoto }, async () => {
  const { blobs, requests } = await opened()
  for (const bytes of [10, 6 * 1024 * 1024]) {
    await blobs.put('org_1/sealed.wav', inChunks(Buffer.alloc(bytes)), 'audio/wav')
    const { headers } = await requests.ask({
      method: 'GET',
      key: 'org_1/sealed.wav',
      headers: { range: 'bytes=0-0' },
    })
    assert.equal(headers['x-amz-server-side-encryption'], 'AES256')
  }
  await blobs.remove(['org_1/sealed.wav'])
})
