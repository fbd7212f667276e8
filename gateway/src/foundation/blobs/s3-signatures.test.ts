import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { AwsV4Signer } from 'aws4fetch'

// The examples that AWS publishes for S3: "Authenticating Requests: Using the Authorization Header", and "Using Query
// Parameters". Their keys are examples too.
const example = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  service: 's3',
  region: 'us-east-1',
  datetime: '20130524T000000Z',
}
const bucket = 'https://examplebucket.s3.amazonaws.com'
const hashOf = (body: string) => createHash('sha256').update(body).digest('hex')

async function signatureOf(method: string, url: string, headers: Record<string, string>, body = '') {
  const signer = new AwsV4Signer({
    ...example,
    method,
    url,
    headers: { ...headers, 'x-amz-content-sha256': hashOf(body) },
    allHeaders: true,
  })
  const { headers: signed } = await signer.sign()
  return /Signature=(\w+)$/.exec(signed.get('authorization') ?? '')?.[1]
}

test('requests are signed as AWS publishes it for reading, writing and listing objects', async () => {
  for (const [wanted, signature] of [
    [
      'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
      await signatureOf('GET', `${bucket}/test.txt`, { range: 'bytes=0-9' }),
    ],
    [
      '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
      await signatureOf(
        'PUT',
        `${bucket}/test$file.text`,
        { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
        'Welcome to Amazon S3.',
      ),
    ],
    [
      'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
      await signatureOf('GET', `${bucket}/?lifecycle`, {}),
    ],
    [
      '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
      await signatureOf('GET', `${bucket}/?max-keys=2&prefix=J`, {}),
    ],
  ] as const)
    assert.equal(signature, wanted)
})

test('a link is signed as AWS publishes it', async () => {
  const url = `${bucket}/test.txt?X-Amz-Expires=86400`
  const { url: signed } = await new AwsV4Signer({ ...example, method: 'GET', url, signQuery: true }).sign()
  const wanted = 'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404'
  assert.equal(signed.searchParams.get('X-Amz-Signature'), wanted)
})
