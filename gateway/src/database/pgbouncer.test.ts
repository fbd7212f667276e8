import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { missing } from '@switchroom/tools/debian-packages'
import { entriesOf, lentKeys, startChatDeployment } from '../../testing/calls/chat-deployment.ts'
import { range, said, TestLogs } from '../../testing/calls/test-logs.ts'
import { GatewayProcess } from '../../testing/gateway-process.ts'
import { PgBouncer } from '../../testing/pgbouncer.ts'
import { poolerVariable } from '../../testing/pooler-settings.ts'
import { hangs } from '../../testing/providers/model-fake.ts'
import { until } from '../../testing/until.ts'
import { dayMs } from '../foundation/clock.ts'
import { Database, statement } from './database.ts'
import { overPooler } from './session-settings.ts'
import { StatementLimit } from './statement-limit.ts'

// Fewer than the pools of one gateway have, and two gateways are over it.
const poolSize = 3

describe('over PgBouncer in transaction mode', { skip: missing('pgbouncer') }, async () => {
  if (missing('pgbouncer')) return
  const pooler = await PgBouncer.start(process.env['TEST_POSTGRES_URL'] ?? '', { poolSize })
  process.env[poolerVariable] = String(pooler.port) // every gateway of this file is over it
  const chats = await startChatDeployment({ SVC_LOG_DAYS: '30' })
  const { deployment, key, model } = chats
  const { sql, database } = deployment
  const other = await deployment.another()
  after(async () => {
    delete process.env[poolerVariable]
    await chats[Symbol.asyncDispose]()
    await pooler[Symbol.asyncDispose]()
  })
  const newDatabase = () => new Database(deployment.settings.databaseUrl, () => {}, { way: overPooler })

  test('a chat at one gateway is answered through an app at the other, its log is read live at both, and a search for its words finds it', async () => {
    model.reply = ({ messages }) => `You said ${messages.at(-1)?.content}`
    const agent = await chats.newAgent({}, other)
    const chat = await agent.chat()
    const logs = new TestLogs(deployment, chats.org, { key, client: deployment.anonymous.as(key) })
    const at = `/v1/calls/${chat.call}/events`
    using here = await logs.read(at)
    using there = await logs.read(at, { at: other })
    assert.equal(await chat.ask('marzipan'), 'You said marzipan')
    assert.equal(await chat.ask('nougat'), 'You said nougat')
    await chat.close()
    const last = (await entriesOf(deployment, chat.call)).at(-1)?.seq ?? 0
    for (const reader of [here, there]) {
      await until('the reader has all', () => reader.seqs.length >= last)
      assert.deepEqual(reader.seqs.slice(0, last), range(1, last))
    }
    const found = await other.anonymous.as(key).get('/v1/sessions?q=marzipan')
    assert.deepEqual(
      found.body.sessions.map(({ call }: { call: string }) => call),
      [chat.call],
    )
  })

  test('logs of calls that ended long ago are forgotten', async () => {
    const logs = await TestLogs.of(deployment)
    const call = await logs.open(3)
    await logs.write(call, [{ type: 'call.ended', data: { reason: 'hangup' } }])
    const late = await deployment.another()
    late.clock.forward(31 * dayMs)
    const run = await late.operator.post('/v1/ops/retention')
    assert.equal(run.status, 200, run.text)
    assert.equal((await sql('select from entries where log = $1', [call.id])).rowCount, 0)
    await late[Symbol.asyncDispose]()
  })

  test('many more requests at once than the pooler has sessions are all answered', async () => {
    const clients = [deployment, other].map(({ anonymous }) => anonymous.as(key))
    const answers = await Promise.all(range(1, 60).map((n) => clients[n % 2]!.get('/v1/whoami')))
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
  })

  test('a gateway has one connection of its own, and the pooler has the rest', async () => {
    await until('what the starts needed is closed', async () => {
      const { rows } = await sql(
        `select application_name as name from pg_stat_activity
         where datname = current_database() and application_name like 'switchroom-%'`,
      )
      const own = rows.filter(({ name }) => name === 'switchroom-signals').length
      return own === 2 && rows.length - own <= poolSize
    })
  })

  test('a gateway that is killed is found by its lock, and the other answers what its call waited for', async () => {
    await using killed = await GatewayProcess.start(deployment, {
      SVC_PROVIDER_KEY_OPENAI: lentKeys.openai,
      SVC_PROVIDER_KEY_GROQ: lentKeys.groq,
    })
    model.reply = () => 'The first.'
    const agent = await chats.newAgent()
    const chat = await agent.chat({}, killed)
    await chat.ask('One')
    model.reply = () => hangs
    chat.say('Two')
    await until('it is asked', () => model.open === 1)
    model.reply = () => 'The second.'
    await killed.kill()
    const back = await agent.chat({ call: chat.call, after: String(chat.seq) })
    assert.equal((await back.next('message')).text, 'The second.')
    await back.close()
  })

  test('a pooler that is killed and comes back, and one that loses its sessions, are used again in seconds, and no reader misses an entry', async () => {
    const logs = await TestLogs.of(deployment)
    const call = await logs.open(1)
    using reader = await logs.read(call.at, { at: other })
    await reader.came('log.caught_up')
    let written = 1
    const writesAgain = () =>
      until('it writes again', () =>
        logs.write(call, [said(`${written + 1}`)]).then(
          () => (written += 1),
          () => false,
        ),
      )
    const client = other.anonymous.as(key)
    const servesAgain = () =>
      until('it serves again', async () => {
        const { status } = await client.get('/v1/whoami')
        assert.ok([200, 503].includes(status), String(status))
        return status === 200
      })

    await pooler.kill()
    assert.equal((await client.get('/v1/whoami')).status, 503)
    await pooler.run()
    await writesAgain()
    await servesAgain()

    for (let cuts = 0; cuts < 5; cuts += 1) {
      pooler.cutSessions()
      await writesAgain()
      await servesAgain()
    }
    await until('the reader has all', () => reader.seqs.length >= written)
    assert.deepEqual(reader.seqs, range(1, written))
  })

  test('a statement that takes too long is cancelled over the pooler, and its connection serves on', async () => {
    const over = newDatabase()
    const limit = new StatementLimit([over.connections], { everyMs: 100, cancelledAfterMs: 500 })
    const sleeps = statement<{ slept: string }>(`select pg_sleep(60)::text as slept`)
    await assert.rejects(over.row(sleeps), { code: '57014' })
    limit.stop()
    assert.equal(over.pool.totalCount, 1)
    assert.deepEqual(await over.row(statement('select 1 as one')), { one: 1 })
    await over.close()
  })

  test('a transaction has the limits of a gateway and the time zone UTC, and leaves no limit to the next one that gets its session', async () => {
    const over = newDatabase()
    const limits = statement<{ name: string; setting: string }>(`
      select name, setting from pg_settings
      where name in ('statement_timeout', 'idle_in_transaction_session_timeout', 'TimeZone') order by lower(name)`)
    const settings = (rows: { setting: string }[]) => rows.map(({ setting }) => setting)
    await sql(`alter database ${new URL(database.url).pathname.slice(1)} set timezone to 'Asia/Tokyo'`)
    pooler.cutSessions()
    await until('it serves again', () => over.answers())
    const inside = await over.transaction((tx) => tx.rows(limits))
    assert.deepEqual(settings(inside), ['30000', '30000', 'UTC'])
    assert.deepEqual(settings(await over.rows(limits)), ['0', '0', 'UTC'])
    await over.close()
  })
})
