import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from '@switchroom/launcher/testing/folders'
import { freshClone } from './checkouts.ts'
import { launch, root } from './launch.ts'

test('npm start on a fresh clone installs once although two start at the same time, and runs', async (t) => {
  const checkout = freshClone(t)
  const data = join(checkout, 'data')
  const command: ['npm', ...string[]] = ['npm', 'start', '--silent']
  const both = await Promise.all([
    launch(t, { data, checkout, command }),
    launch(t, { data: join(checkout, 'other-data'), checkout, command }),
  ])
  for (const each of both) {
    await each.untilReady(180_000)
    assert.equal((await fetch(`${each.address}/readyz`)).status, 200)
  }
  assert.equal(both.filter(({ stdout }) => stdout.includes('Installing packages')).length, 1)
  for (const each of both) {
    await each.stop()
    assert.match(each.stdout, /\nstopped\n$/)
    assert.equal(each.stderr, '')
    assert.deepEqual(each.leftBehind(), [])
  }
})

/** A checkout with one package in its lock file and a stand-in for npm that writes what it is called with. */
function checkoutWithFakeNpm(t: TestContext, npm: string) {
  const folder = temporaryFolder(t)
  mkdirSync(join(folder, 'tools'))
  mkdirSync(join(folder, 'bin'))
  cpSync(join(root, 'tools', 'install.mjs'), join(folder, 'tools', 'install.mjs'))
  writeFileSync(join(folder, 'package.json'), '{}')
  const lock = { packages: { '': {}, 'node_modules/a': { version: '1.0.0' } } }
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock))
  writeFileSync(join(folder, 'bin', 'npm'), `#!/bin/sh\necho "$@" >> calls\n${npm}\n`)
  chmodSync(join(folder, 'bin', 'npm'), 0o755)
  const environment = { PATH: `${join(folder, 'bin')}:${process.env['PATH']}`, HOME: '/nonexistent' }
  return {
    folder,
    install: (event = '') => {
      const env = { ...environment, npm_lifecycle_event: event }
      const options = { cwd: folder, env, encoding: 'utf8' } as const
      return spawnSync(process.execPath, ['tools/install.mjs'], options)
    },
  }
}

const installsLine = `
  mkdir -p node_modules/a
  echo '{}' > node_modules/a/package.json
  cp package-lock.json node_modules/.package-lock.json
  test -w "$npm_config_cache"`

test('packages that match the lock file are left alone, even if the home folder cannot be written', (t) => {
  const { folder, install } = checkoutWithFakeNpm(t, installsLine)
  const first = install()
  assert.equal(first.stderr, '')
  assert.match(first.stdout, /^Installing packages .*\n$/)
  assert.equal(install().stdout, '')
  assert.equal(readFileSync(join(folder, 'calls'), 'utf8').split('\n').length, 2, 'npm was called once')
})

test('a command that runs the program installs no development packages, and one that tests it adds them', (t) => {
  const { folder, install } = checkoutWithFakeNpm(
    t,
    `mkdir -p node_modules/a; echo '{}' > node_modules/a/package.json
    if [ "$3" = --omit=dev ]; then sed 's#,"node_modules/b".*"dev":true}##' package-lock.json
    else mkdir -p node_modules/b; echo '{}' > node_modules/b/package.json; cat package-lock.json
    fi > node_modules/.package-lock.json`,
  )
  const [a, b] = [{ version: '1.0.0' }, { version: '1.0.0', dev: true }]
  const lock = { packages: { '': {}, 'node_modules/a': a, 'node_modules/b': b } }
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock))
  const installs = (event: string) => install(event).stdout !== ''
  const has = (name: string) => existsSync(join(folder, 'node_modules', name))
  assert.equal(installs('prestart'), true)
  assert.deepEqual([has('a'), has('b')], [true, false])
  assert.equal(installs('pregateway'), false)
  writeFileSync(join(folder, 'node_modules', 'a', 'in-use'), '')
  assert.equal(installs('pretest'), true)
  assert.deepEqual([has('b'), has('a/in-use')], [true, true], 'a program that runs keeps its files')
  for (const event of ['prestart', 'pretest']) assert.equal(installs(event), false)
})

test('another lock file and a missing package are both installed', (t) => {
  const { folder, install } = checkoutWithFakeNpm(t, installsLine)
  install()
  const lock = { packages: { '': {}, 'node_modules/a': { version: '2.0.0' } } }
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock))
  assert.match(install().stdout, /^Installing/)
  assert.equal(install().stdout, '')
  spawnSync('rm', ['-r', join(folder, 'node_modules', 'a')])
  assert.match(install().stdout, /^Installing/)
  assert.equal(install().stdout, '')
})

test('packages that a person has installed by hand are left alone', (t) => {
  const { folder, install } = checkoutWithFakeNpm(t, 'exit 1')
  spawnSync('/bin/sh', ['-ec', installsLine.replace('test -w "$npm_config_cache"', '')], { cwd: folder })
  assert.deepEqual([install().status, install().stdout], [0, ''])
})

test('a lock file that lags behind a package.json is installed once, not at every start', (t) => {
  const { folder, install } = checkoutWithFakeNpm(
    t,
    installsLine.replace('cp package-lock.json', `echo '{"packages":{}}' >`),
  )
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ dependencies: { b: '1.0.0' } }))
  assert.match(install().stdout, /^Installing/)
  assert.equal(install().stdout, '')
})

test("a failed install shows npm's own words and one sentence that says what to do", (t) => {
  const { install } = checkoutWithFakeNpm(t, `echo 'npm error code ENOTFOUND' >&2; exit 1`)
  const { status, stderr } = install()
  assert.equal(status, 1)
  assert.equal(
    stderr,
    'npm error code ENOTFOUND\n' +
      "npm cannot reach its registry: check the network and npm's proxy settings, then run the command again.\n",
  )
})
