import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { missing } from '@switchroom/tools/debian-packages'
import { pino } from 'pino'
import { makeCertificates } from '../../testing/certificates.ts'
import { range, said, TestLogs } from '../../testing/calls/test-logs.ts'
import { startDeployment } from '../../testing/deployment.ts'
import { RedisServer } from '../../testing/redis-server.ts'
import { signalsSuite } from '../../testing/signals-suite.ts'
import { until } from '../../testing/until.ts'
import { RedisConnection } from './redis-connection.ts'
import { RedisSignals } from './redis-signals.ts'

const logger = pino({ enabled: false })
const hooks = { onMessage: () => {}, onLost: () => {} }

describe('signals by Redis', { skip: missing('redis-server') }, async () => {
  if (missing('redis-server')) return
  const redis = await RedisServer.start()
  after(() => redis[Symbol.asyncDispose]())
  const ask = async (...words: string[]) => {
    const connection = await RedisConnection.open({ url: new URL(redis.url) }, hooks)
    const answer = await connection.ask(5000, ...words)
    connection.close()
    return answer
  }
  const signalsOf = (deployment: string) => {
    const server = { url: new URL(redis.url) }
    const signals = new RedisSignals({ server, logger, readDeployment: async () => deployment })
    return { signals, start: () => signals.start(), stop: () => signals.stop() }
  }

  signalsSuite('Redis', {
    settings: { SVC_REDIS_URL: redis.url },
    make: () => signalsOf('suite'),
    cut: async () => void (await ask('CLIENT', 'KILL', 'TYPE', 'pubsub')),
    takeAway: () => redis.kill(),
    giveBack: () => redis.run(),
    servesWithout: true,
  })

  test('two deployments on one Redis do not hear each other', async () => {
    const [here, there] = [signalsOf('one'), signalsOf('two')]
    const came: string[] = []
    for (const { signals } of [here, there]) signals.on('suite', (payload) => void came.push(payload))
    for (const { start } of [here, there]) await start()
    here.signals.send('suite', 'mine')
    there.signals.send('suite', 'theirs')
    await until('each heard its own', () => came.length >= 2)
    await ask('PING') // what was published before is delivered by now
    assert.deepEqual(came.toSorted(), ['mine', 'theirs'])
    for (const { stop } of [here, there]) await stop()
  })

  test('the channels of a deployment have its id, which every gateway of it reads from the database', async () => {
    await using deployment = await startDeployment({ SVC_REDIS_URL: redis.url })
    await deployment.another()
    await using stranger = await startDeployment({ SVC_REDIS_URL: redis.url })
    const idOf = async ({ sql }: typeof deployment) =>
      String((await sql('select id from deployment')).rows[0].id)
    const subscribers = (id: string) => ask('PUBSUB', 'NUMSUB', `switchroom:${id}:log_grew`)
    const [own, strange] = [await idOf(deployment), await idOf(stranger)]
    assert.notEqual(own, strange)
    assert.deepEqual(await subscribers(own), [`switchroom:${own}:log_grew`, 2])
    assert.deepEqual(await subscribers(strange), [`switchroom:${strange}:log_grew`, 1])
  })

  test('a gateway starts and serves without Redis, says so in its log and its readiness without the password, and uses Redis once it is there', async () => {
    await using late = await RedisServer.start()
    await late.kill()
    await using deployment = await startDeployment({ SVC_REDIS_URL: late.url })
    const other = await deployment.another()
    const at = `127.0.0.1:${late.port}`
    const degraded = `Redis at ${at} does not answer: news of other gateways is late`
    const ready = await deployment.anonymous.get('/readyz')
    assert.deepEqual([ready.status, ready.body], [200, { status: 'ok', degraded }])
    assert.match(deployment.log(), /Redis cannot be used/)
    const logs = await TestLogs.of(deployment)
    const call = await logs.open(1)
    using reader = await logs.read(call.at, { at: other })
    await reader.came('log.caught_up')
    await logs.write(call, [said('2')])
    await until('the reader has it', () => reader.seqs.length === 2)
    await late.run()
    const isWhole = async ({ anonymous }: typeof deployment) =>
      (await anonymous.get('/readyz')).body.degraded === undefined
    await until('Redis is used', async () => (await isWhole(deployment)) && (await isWhole(other)))
    await logs.write(call, [said('3')])
    await until('the reader continues', () => reader.seqs.length === 3)
    assert.deepEqual(reader.seqs, range(1, 3))
    assert.equal(deployment.log().includes(late.password), false)
  })

  test('rediss:// speaks TLS, trusts SVC_CA_FILE and refuses a certificate of anybody else', async () => {
    await using certificates = await makeCertificates()
    await using secured = await RedisServer.start(await certificates.serverFor('127.0.0.1'))
    const url = new URL(secured.url)
    assert.equal(url.protocol, 'rediss:')
    await assert.rejects(RedisConnection.open({ url }, hooks), /certificate/)
    await using deployment = await startDeployment({
      SVC_REDIS_URL: secured.url,
      SVC_CA_FILE: certificates.caFile,
    })
    assert.deepEqual((await deployment.anonymous.get('/readyz')).body, { status: 'ok' })
  })

  test('a wrong password is said in the log, without the password', async () => {
    const wrong = new URL(redis.url)
    wrong.password = 'hunter2'
    await using deployment = await startDeployment({ SVC_REDIS_URL: wrong.href })
    assert.match(deployment.log(), /WRONGPASS/)
    assert.equal(deployment.log().includes('hunter2'), false)
  })
})
