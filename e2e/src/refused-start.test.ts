import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { afterwards, temporaryFolder } from '@switchroom/launcher/testing/folders'
import { installedClone, ordinaryUser } from './checkouts.ts'
import { freePort } from '@switchroom/launcher/testing/free-port'
import { launch } from './launch.ts'

const isRoot = process.getuid?.() === 0

async function refusal(t: TestContext, options: Parameters<typeof launch>[1]) {
  const refused = await launch(t, options)
  const status = await refused.ended
  assert.deepEqual(refused.leftBehind(), [])
  assert.match(refused.stderr, /^[^\n]+\n$/, 'exactly one line')
  return { status, sentence: refused.stderr.trimEnd() }
}

test('a port that is taken is reported in one line, and no process stays behind', async (t) => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterwards(t, () => server.close())
  const { port } = server.address() as AddressInfo
  const settings = { SVC_PORT: String(port) }
  const { status, sentence } = await refusal(t, { data: join(temporaryFolder(t), 'data'), settings })
  assert.equal(status, 1)
  assert.match(sentence, new RegExp(`^port ${port} on 127\\.0\\.0\\.1 is taken: .*SVC_PORT`))
})

test('a setting that does not parse ends the start with status 2 and its name (ID-26)', async (t) => {
  const settings = { SVC_PORT: 'many', SVC_DATABASE_URL: 'postgresql://somebody@127.0.0.1/something' }
  const { status, sentence } = await refusal(t, { data: join(temporaryFolder(t), 'data'), settings })
  assert.equal(status, 2)
  assert.match(sentence, /^SVC_PORT /)
})

test('a database that does not answer is reported in one line, and no other database is started', async (t) => {
  const data = join(temporaryFolder(t), 'data')
  const settings = { SVC_DATABASE_URL: `postgresql://somebody@127.0.0.1:${await freePort()}/something` }
  const { status, sentence } = await refusal(t, { data, settings })
  assert.equal(status, 1)
  assert.match(sentence, /^the database does not answer .*SVC_DATABASE_URL/)
  assert.ok(!existsSync(join(data, 'postgres')))
})

test('a data folder that cannot be written is reported in one line', async (t) => {
  const folder = temporaryFolder(t)
  const options = isRoot ? { account: ordinaryUser, checkout: installedClone(t, 0o755) } : {}
  chmodSync(folder, isRoot ? 0o755 : 0o555)
  afterwards(t, () => chmodSync(folder, 0o755))
  const data = join(folder, 'data')
  const { status, sentence } = await refusal(t, { data, ...options })
  assert.equal(status, 1)
  assert.equal(
    sentence,
    `the data folder ${data} cannot be written: make it writable for this user, or set SVC_DATA to another folder`,
  )
})

test('a full disk is reported in one line', async (t) => {
  if (!isRoot || process.platform !== 'linux') return t.skip('needs root on Linux to mount a small disk')
  const data = join(temporaryFolder(t), 'data')
  mkdirSync(data)
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', data])
  if (mounted.status !== 0) return t.skip('this root may not mount a small disk')
  afterwards(t, () => spawnSync('umount', [data]))
  const { status, sentence } = await refusal(t, { data })
  assert.equal(status, 1)
  assert.equal(sentence, `the disk that holds ${data} is full: free some space, then start again`)
})
