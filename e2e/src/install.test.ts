import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { afterwards, temporaryFolder } from '@switchroom/launcher/testing/folders'
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
  for (const file of ['install.mjs', 'npm-requests.mjs'])
    cpSync(join(root, 'tools', file), join(folder, 'tools', file))
  writeFileSync(join(folder, 'package.json'), '{}')
  const lock = { packages: { '': {}, 'node_modules/a': { version: '1.0.0' } } }
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock))
  writeFileSync(join(folder, 'bin', 'npm'), `#!/bin/sh\necho "$@" >> calls\n${npm}\n`)
  chmodSync(join(folder, 'bin', 'npm'), 0o755)
  const environment = { PATH: `${join(folder, 'bin')}:${process.env['PATH']}`, HOME: '/nonexistent' }
  return {
    folder,
    install: (event = '', more: Record<string, string> = {}) => {
      const env = { ...environment, npm_lifecycle_event: event, ...more }
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
    if echo "$@" | grep -q omit=dev; then sed 's#,"node_modules/b".*"dev":true}##' package-lock.json
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
  const calls = readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n')
  assert.deepEqual(
    calls.map((call) => call.split(' ').slice(0, 2).join(' ')),
    ['ci --omit=dev', 'install --no-save'],
  )
})

test('a Node that is too old is refused in one line, before npm is asked', (t) => {
  const { folder, install } = checkoutWithFakeNpm(t, installsLine)
  const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.8' } })`
  const preload = `--import=data:text/javascript,${encodeURIComponent(older)}`
  const refused = install('prestart', { NODE_OPTIONS: preload })
  assert.equal(refused.status, 1)
  assert.equal(
    refused.stderr,
    'Switchroom needs Node 20 or later, and this is 18.20.8: install a newer Node\n',
  )
  assert.ok(!existsSync(join(folder, 'calls')))
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
    `if [ "$1" = ci ]; then echo 'npm error \`npm ci\` can only install packages when they are in sync' >&2; exit 1; fi
    ${installsLine.replace('cp package-lock.json', `echo '{"packages":{}}' >`)}`,
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

test('every package for another platform that a package names is in the lock file, so that npm ci installs it there', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { optionalDependencies?: Record<string, string> }>
  }
  const names = new Set(
    Object.keys(packages).map((path) => path.slice(path.lastIndexOf('node_modules/') + 13)),
  )
  const missing = Object.values(packages)
    .flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies))
    .filter((name) => !names.has(name))
  assert.deepEqual(missing, [])
})

/** The lines of an install with the real npm, whose registry does this to every connection. */
async function linesWithRegistry(
  t: TestContext,
  meet: (socket: Socket) => void,
  line: RegExp,
): Promise<string> {
  const { folder } = checkoutWithFakeNpm(t, 'exit 1')
  const registry = createServer((socket) => meet(socket.on('error', () => {}))).listen(0, '127.0.0.1')
  await once(registry, 'listening')
  const address = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`
  const env = { PATH: process.env['PATH'], HOME: '/nonexistent', npm_config_registry: address }
  const child = spawn(process.execPath, ['tools/install.mjs'], { cwd: folder, env, stdio: 'pipe' })
  afterwards(t, () => (child.kill('SIGTERM'), registry.close()))
  let printed = ''
  for await (const chunk of child.stdout) if (line.test((printed += String(chunk)))) break
  child.kill('SIGTERM')
  return printed.replaceAll(address, 'REGISTRY/').replaceAll(address.slice(0, -1), 'REGISTRY')
}

const advice = "check the network and npm's proxy settings, or press Ctrl-C"

test('an install whose registry refuses connections says what it waits for', async (t) => {
  const printed = await linesWithRegistry(t, (socket) => socket.resetAndDestroy(), /cannot reach/)
  assert.match(
    printed,
    new RegExp(`\nnpm cannot reach its registry REGISTRY \\(\\w+\\) and tries again: ${advice}\n`),
  )
})

test('an install whose registry is silent says what it waits for', async (t) => {
  const printed = await linesWithRegistry(t, () => {}, /waits for/)
  assert.ok(
    printed.endsWith(`npm waits for its registry REGISTRY/, which has not answered: ${advice}\n`),
    printed,
  )
})
