import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@switchroom/launcher/testing/folders'
import { until } from '@switchroom/launcher/testing/waiting'
import { launch } from './launch.ts'

test('the first start prints the link once and no key, and Ctrl-C leaves no process behind; the next prints none, the link still makes its holder admin and operator; a killed launcher leaves no process, and the next start finds the data (ID-27, ID-36, T-93)', async (t) => {
  const data = join(temporaryFolder(t), 'data')
  const keysIn = () => ['vault.key', 'operator.key'].map((name) => readFileSync(join(data, name), 'utf8'))
  const first = await launch(t, { data })
  await first.untilReady()
  assert.equal((await fetch(`${first.address}/readyz`)).status, 200)
  const keys = keysIn()
  assert.equal(first.links.length, 1)
  assert.ok(first.stdout.includes(first.address))
  assert.ok(first.stdout.includes(join(data, 'operator.key')))
  assert.match(first.stdout, /^ {2}Logs of ended calls are kept for 400 days \(SVC_LOG_DAYS\), /m)
  for (const key of keys) assert.ok(!first.stdout.includes(key))
  assert.equal(statSync(data).mode & 0o777, 0o700)
  assert.equal(await first.stop(), 0)
  assert.match(first.stdout, /\nstopped\n$/)
  assert.equal(first.stderr, '')
  assert.deepEqual(first.leftBehind(), [])

  const second = await launch(t, { data })
  await second.untilReady()
  assert.deepEqual(second.links, [])
  assert.deepEqual(keysIn(), keys)
  const token = first.links[0]?.split('/').at(-1)
  const accepted = await fetch(`${second.address}/v1/invitations/${token}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ password: 'a long enough password' }),
  })
  assert.ok(accepted.ok, `answered ${accepted.status}`)
  second.kill('SIGKILL')
  await until('its processes are gone', () => second.leftBehind().length === 0, 60_000)

  const third = await launch(t, { data })
  await third.untilReady()
  assert.deepEqual(third.links, [])
  const { members } = (await third.ask('/v1/ops/orgs/demo/members')) as { members: Record<string, unknown>[] }
  assert.deepEqual(
    members.map(({ role, status, operator }) => ({ role, status, operator })),
    [{ role: 'admin', status: 'active', operator: true }],
  )
  const stopped = third.stop()
  await until('it is stopping', () => existsSync(join(data, 'launcher.stopping')))
  const fourth = await launch(t, { data }) // right after Ctrl-C: it waits
  assert.equal(await stopped, 0)
  await fourth.untilReady()
  assert.equal(await fourth.stop(), 0)
})

test('a launcher killed while it makes the database or starts the gateway leaves no process, and the link is not lost (ID-36)', async (t) => {
  const data = join(temporaryFolder(t), 'data')
  const moments = {
    'the database is being made': () => globSync('postgres.new-*', { cwd: data }).length > 0,
    'the gateway starts': () => existsSync(join(data, 'logs', 'gateway.log')),
  }
  for (const [moment, isReached] of Object.entries(moments)) {
    const killed = await launch(t, { data })
    await until(moment, isReached)
    killed.kill('SIGKILL')
    await until('its processes are gone', () => killed.leftBehind().length === 0, 60_000)
    assert.deepEqual(killed.links, [])
  }
  const next = await launch(t, { data })
  assert.equal((await next.untilReady()).links.length, 1)
})

test('of two launchers that start together on one empty folder one runs, and the other says that the folder is in use (ID-27, T-93)', async (t) => {
  const data = join(temporaryFolder(t), 'data')
  const both = await Promise.all([launch(t, { data }), launch(t, { data })])
  const [refused] = await Promise.race(both.map(async (one) => [one, await one.ended] as const))
  assert.equal(await refused.ended, 1)
  assert.equal(
    refused.stderr,
    `the data folder ${data} is in use by another running Switchroom: ` +
      `stop that one, or set SVC_DATA to another folder\n`,
  )
  const running = both.find((one) => one !== refused)
  await running?.untilReady()
  assert.deepEqual(running?.links.length, 1)
})

test('a database that dies ends the deployment with one line that names its log', async (t) => {
  const data = join(temporaryFolder(t), 'data')
  const started = await launch(t, { data })
  await started.untilReady()
  process.kill(Number.parseInt(readFileSync(join(data, 'postgres', 'postmaster.pid'), 'utf8'), 10), 'SIGKILL')
  assert.equal(await started.ended, 1)
  const log = join(data, 'logs', 'postgres.log')
  assert.equal(started.stderr, `the database stopped: read ${log}, then start again\n`)
  assert.deepEqual(started.leftBehind(), [])
})

test('with SVC_DEMO off nothing is made, and a closed terminal stops everything in order (ID-36)', async (t) => {
  const started = await launch(t, { data: join(temporaryFolder(t), 'data'), settings: { SVC_DEMO: 'off' } })
  await started.untilReady()
  assert.deepEqual(started.links, [])
  assert.deepEqual(await started.ask('/v1/ops/orgs'), { orgs: [] })
  started.closeTerminal()
  assert.equal(await started.ended, 0)
  assert.deepEqual(started.leftBehind(), [])
})

test('a launcher whose npm was ended alone, as a supervisor does, stops everything', async (t) => {
  const data = join(temporaryFolder(t), 'data')
  const npm = ['sh', '-c', '"$0" launcher/src/main.ts; true', process.execPath] as const
  const launched = await launch(t, { data, command: [...npm] })
  await launched.untilReady()
  launched.kill('SIGKILL')
  await until('its processes are gone', () => launched.leftBehind().length === 0, 60_000)
})
