import assert from 'node:assert/strict'
import { chmodSync, existsSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { afterwards, temporaryFolder } from '@switchroom/launcher/testing/folders'
import { folderOf, installedClone, ordinaryUser } from './checkouts.ts'
import { launch } from './launch.ts'

const isRoot = process.getuid?.() === 0
const checkout = isRoot ? installedClone({ after }, 0o755) : '' // a hundred thousand files, so one for both

test('an ordinary user starts a checkout that only root may write, with npm start', async (t) => {
  if (!isRoot) return t.skip('needs root to become another user')
  const home = folderOf(t, ordinaryUser)
  const data = join(home, 'data')
  const started = await launch(t, {
    data,
    checkout,
    command: ['npm', 'start'],
    account: ordinaryUser,
    settings: { HOME: home, npm_config_cache: join(home, '.npm') },
  })
  await started.untilReady()
  assert.equal(statSync(join(data, 'postgres')).uid, ordinaryUser.uid)
  assert.match(await (await fetch(started.address)).text(), /<script type="module"/) // the console, built in the data folder
  await started.stop()
  assert.match(started.stdout, /\nstopped\n/)
  assert.deepEqual(started.leftBehind(), [])
})

test('root starts a checkout in a folder that only root may enter, and the data folder stays closed (ID-27)', async (t) => {
  if (!isRoot) return t.skip('needs root')
  const shared = '/var/lib/switchroom'
  if (!existsSync(shared)) afterwards(t, () => rmSync(shared, { recursive: true, force: true }))
  const data = join(temporaryFolder(t), 'data')
  chmodSync(dirname(checkout), 0o700)
  const started = await launch(t, { data, checkout })
  await started.untilReady()
  assert.equal((await fetch(`${started.address}/readyz`)).status, 200)
  assert.deepEqual([statSync(data).uid, statSync(data).mode & 0o777], [0, 0o700])
  assert.notEqual(statSync(join(data, 'postgres')).uid, 0)
  assert.equal(await started.stop(), 0)
})
