import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { startWireFake, type HttpAnswer, type Mode, type WireFake } from '@switchroom/kit/testing/wire-fake'
import { emptyDatabase } from '@switchroom/gateway/testing/databases'
import { startedGateway, type GatewayProcess } from './gateway-process.ts'

const samplesAtOnce = 8
const mostBytes = 100 * 1024 * 1024
const mostDelayMs = 100

const sound = Buffer.alloc(9_600, 7)
const base64 = sound.toString('base64')
/** What each vendor's voice sends as a piece of sound. */
const pieces: Record<string, string | Buffer> = {
  openai: sound,
  elevenlabs: `${JSON.stringify({ audio_base64: base64, alignment: null, normalized_alignment: null })}\n\n`,
  cartesia: `event: chunk\ndata: ${JSON.stringify({ type: 'chunk', data: base64, done: false, status_code: 206 })}\n\n`,
}

test('vendors that flood, hang, send garbage, break off or fail, three at once, neither stop nor swell a gateway, and people read a sentence', async (t) => {
  const database = await emptyDatabase()
  after(() => database.drop())
  const vendors = Object.keys(pieces)
  const keys = vendors.map((name) => [`SVC_PROVIDER_KEY_${name.toUpperCase()}`, `mark-of-${name}-0123456789`])
  const gateway = await startedGateway(database.url, {
    SVC_SAMPLE_TIMEOUT_S: '1',
    SVC_NEW_ORG_CREDITS: '1000000',
    ...(Object.fromEntries(keys) as Record<string, string>),
  })
  after(async () => {
    gateway.child.kill('SIGKILL')
    await gateway.ended
  })
  const fakes = new Map<string, WireFake>()
  for (const name of vendors) fakes.set(name, await startWireFake(wireOf(name)))
  after(() => Promise.all([...fakes.values()].map((fake) => fake.stop())))
  await pointRow(gateway, fakes)
  const beside = await startBusyProcess()
  after(() => beside.stop())

  const modes: Mode[] = ['flood', 'hang', 'garbage', 'break', 'fault', 'refuse']
  for (let round = 0; round < 3; round += 1) await sampleAll(gateway, fakes, () => 'answer') // as it runs all day
  const before = residentBytes(gateway)
  await delayOf(gateway)
  await beside.delayMs()
  let most = before
  const looking = setInterval(() => (most = Math.max(most, residentBytes(gateway))), 20)
  for (const round of modes.keys())
    await sampleAll(gateway, fakes, (at) => modes[(round + at) % modes.length] ?? 'hang')
  clearInterval(looking)

  const delayMs = await delayOf(gateway)
  const unavoidableMs = await beside.delayMs()
  t.diagnostic(`late by ${delayMs.toFixed(0)} ms, a busy process beside it by ${unavoidableMs.toFixed(0)} ms`)
  t.diagnostic(`grown by ${Math.round((most - before) / 1e6)} MB`)
  assert.ok(
    delayMs < Math.max(mostDelayMs, 5 * unavoidableMs),
    `the event loop was ${delayMs} ms late, ${unavoidableMs} ms are the machine's`,
  )
  assert.ok(most - before < mostBytes, `it grew by ${Math.round((most - before) / 1e6)} MB`)
  assert.equal((await fetch(`${gateway.url}/readyz`)).status, 200)
  const written = gateway.stdout() + gateway.stderr()
  for (const [, key] of keys) assert.ok(!written.includes(key ?? ''), 'no credential is in the log')
})

const wireOf = (vendor: string) => ({
  refusal: (words: string) => ({ error: { message: words }, detail: words, message: words }),
  async http(_request: unknown, answer: HttpAnswer) {
    answer.start({ 'content-type': 'text/event-stream' })
    await answer.piece(pieces[vendor] ?? '')
    answer.end()
  },
})

async function pointRow(gateway: GatewayProcess, fakes: Map<string, WireFake>) {
  const row = (await (await gateway.send('GET', '/v1/ops/providers')).json()) as {
    options: Record<string, object>
  }
  for (const [name, fake] of fakes) row.options[`tts/${name}`] = { base_url: fake.url }
  assert.equal((await gateway.send('PUT', '/v1/ops/providers', row)).status, 200)
  assert.equal((await gateway.send('POST', '/v1/ops/orgs', { slug: 'loud' })).status, 201)
}

/** Several samples of every vendor at once, each vendor in a mode of its own. */
async function sampleAll(
  gateway: GatewayProcess,
  fakes: Map<string, WireFake>,
  modeOf: (at: number) => Mode,
) {
  const wanted = { label: 'loud', env: 'sandbox', scopes: ['app'] }
  const { key } = (await (await gateway.send('POST', '/v1/ops/orgs/loud/keys', wanted)).json()) as {
    key: string
  }
  const asked = [...fakes].flatMap(([tts, fake], at) => {
    fake.mode = modeOf(at)
    fake.words = 'we are out of order'
    return Array.from({ length: samplesAtOnce }, () => sample(gateway, key, tts, fake.mode))
  })
  await Promise.all(asked)
}

async function sample(gateway: GatewayProcess, key: string, tts: string, mode: Mode) {
  const answer = await fetch(`${gateway.url}/v1/voices/sample`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ tts, voice: 'somebody', text: 'Hello there' }),
  })
  const text = await answer.text()
  if (answer.status === 200) return
  assert.equal(answer.status, 502, `${tts} in mode ${mode}: ${text.slice(0, 300)}`)
  const { detail } = JSON.parse(text) as { detail: string }
  assert.match(detail, new RegExp(`^${tts} (refused|did not answer): .{4,}`))
}

/** How late the event loop was, at the 99th percentile since the last look. */
async function delayOf(gateway: GatewayProcess): Promise<number> {
  const metrics = await (await fetch(`${metricsUrlOf(gateway)}/metrics`)).text()
  return 1000 * Number(/^nodejs_eventloop_lag_p99_seconds (\S+)$/m.exec(metrics)?.[1])
}

/** The address of its metrics, read from its log. */
const metricsUrlOf = ({ stdout }: GatewayProcess) =>
  `http://127.0.0.1:${/"metricsPort":(\d+)/.exec(stdout())?.[1]}`

const residentBytes = ({ child }: GatewayProcess) =>
  1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1])

/** A process that works in turns of five milliseconds and watches how late it is: what the machine does to a busy one. */
async function startBusyProcess() {
  const program = `
    const watched = require('node:perf_hooks').monitorEventLoopDelay()
    watched.enable()
    process.on('message', () => {
      process.send(watched.percentile(99) / 1e6)
      watched.reset()
    })
    const work = () => {
      const until = performance.now() + 5
      while (performance.now() < until);
      setTimeout(work, 5)
    }
    work()
    process.send('ready')`
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  await once(child, 'message')
  return {
    async delayMs(): Promise<number> {
      child.send('how late')
      const [late] = (await once(child, 'message')) as [number]
      return late
    },
    stop: () => child.kill('SIGKILL'),
  }
}
