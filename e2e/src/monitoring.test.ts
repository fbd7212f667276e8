import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { Machine } from '@switchroom/cli/testing/terminal'
import { dashboards } from '@switchroom/contract/metrics/metric'
import { metricsOf } from '@switchroom/contract/metrics/table'
import { SpokenAgent } from '@switchroom/gateway/testing/calls/spoken-calls'
import { fleetKey } from '@switchroom/gateway/testing/deployment'
import { metricValues } from '@switchroom/gateway/testing/http/metric-values'
import { afterwards } from '@switchroom/launcher/testing/folders'
import { freePort } from '@switchroom/launcher/testing/free-port'
import { until } from '@switchroom/launcher/testing/waiting'
import { missing } from '@switchroom/tools/debian-packages'
import { panelsOf } from '@switchroom/tools/monitoring/panels'
import { root } from './launch.ts'
import { Prometheus } from './prometheus.ts'
import { startVoiceAgent } from './spoken-fixture.ts'
import { Phone } from './spoken-phone.ts'

const workerPort = await freePort()
const voicePort = await freePort()
const fixture = await startVoiceAgent(
  { after },
  {},
  { worker: { SVC_WORKER_METRICS_PORT: String(workerPort) } },
)
const { deployment, org, worker } = fixture
await startVoiceServer()

async function startVoiceServer() {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(SVC_|NODE_TEST_)/.test(name))
  const child = spawn(process.execPath, ['speech/src/main.ts'], {
    cwd: root,
    env: {
      ...Object.fromEntries(inherited),
      SVC_VOICE_PORT: '0',
      SVC_VOICE_METRICS_PORT: String(voicePort),
      SVC_GATEWAY_URL: deployment.url,
      SVC_FLEET_KEY: fleetKey,
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit')
  afterwards({ after }, async () => {
    child.kill('SIGTERM')
    await ended
  })
  await Promise.race([once(child, 'message'), ended])
  assert.equal(child.exitCode, null)
}

const pageAt = async (port: number) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
const absent = (part: 'worker' | 'voice server', page: string) =>
  metricsOf(part).filter(({ name, type }) => !page.includes(`# TYPE ${name} ${type}`))

test('a worker and a voice server serve every metric of the table that is theirs', async () => {
  assert.deepEqual(absent('worker', await pageAt(workerPort)), [])
  assert.deepEqual(absent('voice server', await pageAt(voicePort)), [])
})

test('a worker counts its calls while they live, and the SIP responses of each', async (t) => {
  const phone = await Phone.call(t, 'hello', worker.sipPort)
  const call = await until('the call is opened', async () => (await fixture.calls())[0], 60_000)
  const live = async (port: number) => metricValues(await pageAt(port), 'switchroom_calls_live')
  await until('it lives', async () => (await live(workerPort))['channel=phone,env=sandbox'] === 1)
  await phone.hangUp()
  await fixture.untilEnded(call)
  await until('it is over', async () => (await live(workerPort))['channel=phone,env=sandbox'] === 0)
  const answered = metricValues(await pageAt(workerPort), 'switchroom_sip_responses_total')
  assert.equal(answered['direction=sent,method=INVITE,status=200'], 1)
  assert.equal(answered['direction=sent,method=BYE,status=200'], 1)
})

/** As JSON lines of a process have it. */
type Line = Record<string, string>
const linesAbout = (call: string, text: string): Line[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line)
    .filter((line) => line['call'] === call)

test('every line about a call names its org, and svc ops logs finds those of gateway and worker', async (t) => {
  const before = (await fixture.calls()).length
  const phone = await Phone.call(t, 'hello', worker.sipPort)
  const call = await until('the call is opened', async () => (await fixture.calls())[before], 60_000)
  await fixture.untilLogged(call, 'it has begun', (log) => log.some(({ type }) => type === 'call.started'))
  await phone.hangUp()
  await fixture.untilEnded(call)
  await until('the worker is done', () =>
    linesAbout(call, worker.said).some(({ msg }) => msg === 'a call is over'),
  )
  const [gatewayLog, workerLog] = [deployment.log(), worker.said]
  const [atGateway, atWorker] = [linesAbout(call, gatewayLog), linesAbout(call, workerLog)]
  for (const { org: named, msg } of [...atGateway, ...atWorker]) assert.equal(named, org.id, msg)
  for (const msg of ['a call began', 'answered', 'a call ended'])
    assert.ok(
      atGateway.some((line) => line['msg'] === msg),
      msg,
    )
  const said = atWorker.map(({ msg, agent, worker: name }) => [msg, agent, typeof name])
  assert.deepEqual(said[0], ['a call runs here', 'hello', 'string'])
  assert.deepEqual(said.at(-1), ['a call is over', 'hello', 'string'])
  const machine = Machine.of(t)
  writeFileSync(join(machine.home, 'gateway.log'), gatewayLog)
  writeFileSync(join(machine.home, 'worker.log'), workerLog)
  const files = ['gateway.log', 'worker.log'].flatMap((name) => ['--file', name])
  const { stdout } = await machine.run(['ops', 'logs', '--call', call, '--json', ...files])
  const found = JSON.parse(stdout) as Line[]
  assert.equal(found.length, atGateway.length + atWorker.length)
  assert.deepEqual(new Set(found.map((line) => line['process'])), new Set(['gateway', 'worker']))
})

async function listening(server: Server, t: TestContext): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close().closeAllConnections())
  return (server.address() as AddressInfo).port
}

/** What the log of a spoken turn with trouble has. */
const troubledTurn = [
  { type: 'user.message', data: { text: 'hello', messageId: 'm1' } },
  {
    type: 'knowledge.found',
    data: {
      base: 'prices',
      mode: 'auto',
      query: 'hello',
      passages: [],
      best_score: null,
      ms: 12,
      waited_ms: 3,
      late: false,
      error: null,
    },
  },
  { type: 'bot.interrupted', data: {} },
  {
    type: 'metrics',
    data: {
      stage: 'turn',
      transcript_ms: 210,
      turn_end_ms: 300,
      first_token_ms: 500,
      first_clause_ms: 600,
      first_audio_ms: 700,
      heard_ms: 800,
    },
  },
  {
    type: 'metrics',
    data: { stage: 'llm', vendor: 'openai', model: 'x', first_word_ms: 200, total_ms: 400 },
  },
  { type: 'error', data: { code: 'tts_failed', detail: 'it broke', vendor: 'deepgram' } },
  { type: 'vendor.switched', data: { stage: 'tts', vendor: 'deepgram', state: 'down', serves: 'openai' } },
  {
    type: 'metrics',
    data: {
      stage: 'line',
      whole: true,
      round_trip_ms: 80,
      heard: { loss_percent: 1, jitter_ms: 4, mos: 4.1 },
      sent: { loss_percent: 2, jitter_ms: 6, mos: 4 },
    },
  },
]

test(
  'a Prometheus scrapes gateway, worker and voice server, and every panel of every dashboard has data',
  { skip: missing('prometheus') },
  async (t) => {
    const desk = await new SpokenAgent(deployment, org, 'desk').route()
    await desk.holdingApp()
    const call = await desk.open()
    const { client } = await org.person('admin')
    const receiver = createServer(
      (request, reply) => void request.resume().on('end', () => reply.writeHead(204).end()),
    )
    const port = await listening(receiver, t)
    const webhook = await client.post('/v1/webhooks', { url: `http://127.0.0.1:${port}/` })
    assert.equal(webhook.status, 201, webhook.text)
    const prometheus = await Prometheus.start(t, {
      'switchroom-gateway': deployment.gateway.metricsPort ?? 0,
      'switchroom-worker': workerPort,
      'switchroom-voice': voicePort,
    })
    const isUp = async () => (await prometheus.query('up == 1')).length === 3
    await until('all three are scraped', isUp, 60_000)
    const queries = dashboards.flatMap((name) =>
      panelsOf(name).flatMap(({ title, queries: all }) =>
        all.map(({ expr }) => ({ title, expr: expr.replaceAll('$__rate_interval', '1m') })),
      ),
    )
    let empty = queries
    const hasData = async () => {
      const appended = await desk.append(call, troubledTurn)
      assert.equal(appended.status, 200, appended.text)
      await client.post(`/v1/webhooks/${webhook.body.id}/test`)
      const found = await Promise.all(empty.map(({ expr }) => prometheus.query(expr)))
      // without an observation in the last minute a quantile is no number
      empty = empty.filter((_query, at) => !found[at]?.some(({ value }) => value[1] !== 'NaN'))
      return empty.length === 0
    }
    await until('every panel has data', hasData, 90_000).catch((error: Error) => {
      throw new Error(`${error.message}: ${empty.map(({ title, expr }) => `${title}: ${expr}`).join('; ')}`)
    })
  },
)
