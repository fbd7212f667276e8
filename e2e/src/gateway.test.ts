import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { emptyDatabase, type TestDatabase } from '@switchroom/gateway/testing/databases'
import { until } from '@switchroom/gateway/testing/until'
import { spawnGateway, startedGateway, type GatewayProcess } from './gateway-process.ts'
import { freePort } from '@switchroom/launcher/testing/free-port'

let database: TestDatabase
const started: GatewayProcess[] = []
const start = async (wanted: Record<string, string> = {}, url = database.url) => {
  const gateway = await startedGateway(url, wanted)
  started.push(gateway)
  return gateway
}

before(async () => void (database = await emptyDatabase()))
after(async () => {
  for (const gateway of started) gateway.child.kill('SIGKILL')
  await Promise.all(started.map(({ ended }) => ended))
  await database.drop()
})

/** Starts it expecting that it ends by itself: its status and the one line it leaves. */
async function refusedStart(wanted: Record<string, string>, url = database.url) {
  const gateway = await spawnGateway(url, wanted)
  const status = await gateway.ended
  await assert.rejects(fetch(gateway.url), 'nothing listens')
  assert.equal(gateway.stderr().split('\n').length, 2, gateway.stderr())
  return [status, gateway.stderr().trimEnd()]
}

test('without a vault key of 32 bytes a gateway does not start (I-475, ID-28, T-92)', async () => {
  const [missing, wrong] = await Promise.all([
    refusedStart({ SVC_VAULT_KEY: '' }),
    refusedStart({ SVC_VAULT_KEY: 'short' }),
  ])
  assert.deepEqual(missing, [2, 'SVC_VAULT_KEY is not set: a gateway does not start without it'])
  assert.deepEqual(wrong, [2, 'SVC_VAULT_KEY is not 32 bytes of base64 or hex'])
})

test('a setting that does not parse ends the start with status 2 and its name (ID-26)', async () => {
  assert.deepEqual(await refusedStart({ SVC_MIN_PASSWORD: 'many' }), [
    2,
    'SVC_MIN_PASSWORD is not a whole number: many',
  ])
})

test('gateways that start at once on an empty database all run, and another vault key is refused (ID-30, T-92)', async () => {
  const both = await Promise.all([start(), start()])
  for (const { url } of both) assert.equal((await fetch(`${url}/readyz`)).status, 200)
  const migrated = both.filter(({ stdout }) => stdout().includes('migrated the database'))
  for (const { child } of both) child.kill('SIGTERM')
  await Promise.all(both.map(({ ended }) => ended))
  assert.equal(migrated.length <= 1, true)
  assert.equal(both.filter(({ stdout }) => stdout().includes('migrated the database')).length, 1)
  const other = Buffer.alloc(32, 9).toString('base64')
  assert.deepEqual(await refusedStart({ SVC_VAULT_KEY: other }), [
    2,
    "SVC_VAULT_KEY does not open this deployment's secrets",
  ])
})

test('a database that does not answer, does not exist or refuses is one line that says what to do, without its password', async () => {
  const dead = await refusedStart({}, 'postgresql://somebody:hunter2@127.0.0.1:1/x')
  assert.deepEqual(dead, [
    1,
    'the database does not answer (ECONNREFUSED): start it, or correct SVC_DATABASE_URL',
  ])
  const absent = await refusedStart({}, database.url.replace(/test_\w+/, 'no_such_database'))
  assert.deepEqual(absent, [1, 'the database does not exist: create it, or correct SVC_DATABASE_URL'])
})

test('a port that is taken is one line that says what to do, for every listener (SD-01)', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1')
  t.after(() => taken.close())
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  for (const setting of ['SVC_PORT', 'SVC_DASHBOARD_PORT', 'SVC_METRICS_PORT']) {
    const gateway = await spawnGateway(database.url, { [setting]: String(port) })
    assert.equal(await gateway.ended, 1)
    assert.equal(
      gateway.stderr(),
      `port ${port} on 127.0.0.1 is taken: stop what listens there, or set ${setting}\n`,
    )
  }
})

test('a host that is nowhere is one line that says what to do', async () => {
  const gateway = await spawnGateway(database.url, { SVC_HOST: 'nowhere.invalid' })
  assert.equal(await gateway.ended, 1)
  assert.equal(
    gateway.stderr(),
    'nothing can listen on nowhere.invalid: set SVC_HOST to an address of this machine\n',
  )
})

test('a rate table that cannot be used ends the start with status 2, its file and what is wrong (SD-65)', async () => {
  const file = '/no/such/rates.json'
  assert.deepEqual(await refusedStart({ SVC_RATES: file }), [
    2,
    `the rate table ${file} cannot be read (ENOENT): correct it, or name another with SVC_RATES`,
  ])
})

test('one process listens for the gateway and for the dashboard, and stops both (SD-01)', async () => {
  const port = await freePort()
  const gateway = await start({ SVC_DASHBOARD_PORT: String(port) })
  const rates = `http://127.0.0.1:${port}/api/rates/models`
  assert.equal((await fetch(rates)).status, 200)
  assert.equal((await fetch(`${gateway.url}/healthz`)).status, 200)
  gateway.child.kill('SIGTERM')
  assert.equal(await gateway.ended, 0)
  await assert.rejects(fetch(rates))
})

test('asked to stop, a gateway finishes what runs, takes nothing new and ends with status 0', async () => {
  const gateway = await start()
  await gateway.send('POST', '/v1/ops/orgs', { slug: 'stopping' })
  const invited = Array.from({ length: 30 }, async (_, n) => {
    const answer = await gateway.send('POST', '/v1/ops/orgs/stopping/members', {
      email: `guest-${n}@example.com`,
    })
    return ((await answer.json()) as { token: string }).token
  })
  const tokens = await Promise.all(invited)
  const accepting = tokens.map((token) =>
    gateway.send('POST', `/v1/invitations/${token}`, { password: 'correct horse' }),
  )
  await Promise.race(accepting) // two hashes at a time: most of the thirty are still running
  gateway.child.kill('SIGTERM')
  const answers = await Promise.all(accepting)
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  assert.equal(await gateway.ended, 0)
  await assert.rejects(fetch(gateway.url))
  assert.match(gateway.stdout(), /"msg":"stopped"/)
})

test('a client that never finishes its request does not keep a gateway beyond ten seconds', async () => {
  const gateway = await start()
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
  socket.on('error', () => {})
  socket.write(
    'POST /v1/invitations/x HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
  )
  await once(socket, 'connect')
  await fetch(`${gateway.url}/healthz`)
  const askedAt = Date.now()
  gateway.child.kill('SIGTERM')
  assert.equal(await gateway.ended, 0)
  const tookMs = Date.now() - askedAt
  assert.ok(tookMs > 9000 && tookMs < 20_000, `it took ${tookMs} ms`)
})

test('a gateway whose launcher is gone stops by itself', async () => {
  const gateway = await start()
  gateway.child.disconnect()
  assert.equal(await gateway.ended, 0)
})

test('kill -9 in the middle of 200 requests loses nothing that was answered, and the next start works', async () => {
  const gateway = await start()
  const answered: string[] = []
  const requests = Array.from({ length: 200 }, async (_, n) => {
    const slug = `killed-${n}`
    const answer = await gateway.send('POST', '/v1/ops/orgs', { slug })
    if (answer.status === 201) answered.push(slug)
    if (answered.length === 60) gateway.child.kill('SIGKILL')
  })
  const settled = await Promise.allSettled(requests)
  await gateway.ended
  const cutOff = settled.filter(({ status }) => status === 'rejected').length
  assert.ok(cutOff > 0 && answered.length >= 60, `${answered.length} answered, ${cutOff} cut off`)

  const again = await start()
  const { orgs } = (await (await again.send('GET', '/v1/ops/orgs')).json()) as { orgs: { slug: string }[] }
  const kept = new Set(orgs.map(({ slug }) => slug))
  assert.deepEqual(
    answered.filter((slug) => !kept.has(slug)),
    [],
  )
  for (const slug of [`after-${Date.now()}`, 'after-all'])
    assert.equal((await again.send('POST', '/v1/ops/orgs', { slug })).status, 201)
})

test('a gateway outlives its database and works again when it is back (ID-22)', async () => {
  const gateway = await start()
  await database.takeAway()
  assert.equal((await fetch(`${gateway.url}/readyz`)).status, 503)
  assert.equal((await gateway.send('GET', '/v1/ops/orgs')).status, 503)
  await database.giveBack()
  await until('it works', async () => (await gateway.send('GET', '/v1/ops/orgs')).ok, 30_000)
})
