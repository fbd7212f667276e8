import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import type { BlobStore } from '../../src/foundation/blobs/blob-store.ts'

const megabyte = 1024 * 1024

export interface StoreUnderTest {
  blobs: BlobStore
  /** The same as another gateway has it. */
  another: BlobStore
  /** What is kept, as the folder or the server itself says. */
  keys: () => Promise<string[]>
}

/** In chunks of some kilobytes, as a socket gives them. */
export async function* inChunks(content: Buffer, bytes = 64 * 1024): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += bytes) yield content.subarray(at, at + bytes)
}

const digestOf = (content: Buffer) => createHash('sha256').update(content).digest('hex')

/** What every store of blobs holds to. */
export function blobStoreSuite(name: string, starting: Promise<StoreUnderTest>) {
  const read = async (key: string, range?: { start: number; end: number }) => {
    const content = await (await starting).another.read(key, range)
    return content && (await buffer(content))
  }

  test(`${name}: what is put is read by another gateway, whole and in part, and its bytes are counted`, async () => {
    const { blobs } = await starting
    const content = randomBytes(100_000)
    assert.equal(await blobs.put('org_1/call_1.wav', inChunks(content), 'audio/wav'), 100_000)
    assert.deepEqual(await read('org_1/call_1.wav'), content)
    assert.deepEqual(await read('org_1/call_1.wav', { start: 10, end: 19 }), content.subarray(10, 20))
    assert.deepEqual(await read('org_1/call_1.wav', { start: 99_999, end: 99_999 }), content.subarray(99_999))
    assert.equal(await read('org_1/call_2.wav'), undefined)
    await blobs.remove(['org_1/call_1.wav'])
  })

  test(`${name}: nothing, one byte and many megabytes are kept as they are`, async () => {
    const { blobs, keys } = await starting
    const large = randomBytes(11 * megabyte + 7)
    for (const [key, content] of [
      ['org_1/empty', Buffer.alloc(0)],
      ['org_1/byte', Buffer.of(7)],
      ['org_1/part', randomBytes(5 * megabyte)],
      ['org_1/large', large],
    ] as const) {
      assert.equal(await blobs.put(key, inChunks(content, 700_001), 'audio/wav'), content.length)
      assert.equal(digestOf((await read(key)) ?? Buffer.from('none')), digestOf(content), key)
    }
    const [start, end] = [5 * megabyte - 3, 5 * megabyte + 3]
    assert.deepEqual(await read('org_1/large', { start, end }), large.subarray(start, end + 1))
    const all = ['org_1/byte', 'org_1/empty', 'org_1/large', 'org_1/part']
    assert.deepEqual(await keys(), all)
    await blobs.remove(all)
    assert.deepEqual(await keys(), [])
  })

  test(`${name}: a content that breaks off leaves nothing, and its failure is its own`, async () => {
    const { blobs, keys } = await starting
    for (const bytes of [10, 6 * megabyte]) {
      const breaking = async function* () {
        yield* inChunks(randomBytes(bytes))
        throw new Error('the sender is gone')
      }
      await assert.rejects(blobs.put('org_1/broken', breaking(), 'audio/wav'), {
        message: 'the sender is gone',
      })
    }
    await blobs.removeUnfinished('org_1/broken')
    assert.deepEqual(await keys(), [])
    assert.equal(await read('org_1/broken'), undefined)
  })

  test(`${name}: many are removed at once, those that are not there among them, and no others`, async () => {
    const { blobs, another, keys } = await starting
    const some = Array.from({ length: 12 }, (_, n) => `org_1/some_${n}`)
    for (const key of [...some, 'org_1/some', 'org_2/some_1'])
      await blobs.put(key, inChunks(Buffer.from(key)), 'audio/wav')
    await another.remove([...some, 'org_1/never', 'org_3/never'])
    assert.deepEqual(await keys(), ['org_1/some', 'org_2/some_1'])
    await blobs.remove([])
    await blobs.remove(['org_1/some', 'org_2/some_1'])
  })

  test(`${name}: it can be used, and says so`, async () => {
    await (await starting).blobs.check()
  })
}
