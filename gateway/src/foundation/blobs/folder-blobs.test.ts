import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, open, readdir, rm, stat, writeFile, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { after, test } from 'node:test'
import { blobStoreSuite, inChunks } from '../../../testing/blobs/blob-store-suite.ts'
import { until } from '../../../testing/until.ts'
import { BlobStoreFailure } from './blob-store.ts'
import { FolderBlobs } from './folder-blobs.ts'

const root = await mkdtemp(join(tmpdir(), 'switchroom-blobs-'))
after(() => rm(root, { recursive: true, force: true }))
const blobs = new FolderBlobs(root, 'SVC_RECORDINGS')
const keys = async () =>
  (await readdir(root, { recursive: true, withFileTypes: true }))
    .filter((file) => file.isFile())
    .map((file) => relative(root, join(file.parentPath, file.name)).replaceAll(sep, '/'))
    .toSorted()

blobStoreSuite('a folder', Promise.resolve({ blobs, another: new FolderBlobs(root, 'SVC_RECORDINGS'), keys }))

test('a blob has its name only when it is whole, and only the gateway reads it', async () => {
  const { promise: rest, resolve: send } = Promise.withResolvers<Uint8Array>()
  const content = async function* () {
    yield Buffer.from('he')
    yield await rest
  }
  const putting = blobs.put('org_1/slow.wav', content())
  await until('it has begun', () => existsSync(join(root, 'org_1/slow.wav.part')))
  assert.equal(await blobs.read('org_1/slow.wav'), undefined)
  send(Buffer.from('llo'))
  assert.equal(await putting, 5)
  assert.deepEqual(await keys(), ['org_1/slow.wav'])
  assert.equal((await stat(join(root, 'org_1/slow.wav'))).mode & 0o077, 0)
  await blobs.remove(['org_1/slow.wav'])
})

test('what a dead gateway left of an upload is removed with its key', async () => {
  await blobs.put('org_1/whole.wav', inChunks(Buffer.from('x')))
  await writeFile(join(root, 'org_1/dead.wav.part'), 'half')
  await blobs.removeUnfinished('org_1/dead.wav')
  assert.deepEqual(await keys(), ['org_1/whole.wav'])
  await blobs.remove(['org_1/whole.wav'])
})

test('a full disk is a sentence for the operator, and nothing of the blob stays', async (t) => {
  await using file = await open(root)
  const handles = Object.getPrototypeOf(file) as FileHandle
  t.mock.method(handles, 'appendFile', async () => {
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  })
  const putting = blobs.put('org_1/full.wav', inChunks(Buffer.from('x')))
  await assert.rejects(putting, new BlobStoreFailure('the disk of SVC_RECORDINGS is full: make room on it'))
  assert.deepEqual(await keys(), [])
})

test('a folder that cannot be used is a sentence for the operator', async () => {
  await writeFile(join(root, 'file'), '')
  const wrong = new FolderBlobs(join(root, 'file'), 'SVC_RECORDINGS')
  const sentence =
    /^the folder of SVC_RECORDINGS cannot be written \(E\w+\): check that it is there and belongs to the gateway's user$/
  await assert.rejects(wrong.check(), { message: sentence })
  await assert.rejects(wrong.put('org_1/a.wav', inChunks(Buffer.from('x'))), { message: sentence })
  await rm(join(root, 'file'))
})
