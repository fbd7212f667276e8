import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@switchroom/launcher/testing/free-port'
import { Agent, connect } from '@switchroom/sdk'
import { startBenchDeployment, type BenchDeployment } from './deployment.ts'
import { startFakedSpeech } from './faked-speech.ts'
import { startProcess } from './processes.ts'
import { judge, median, say } from './report.ts'
import { timedCall } from './timed-phone.ts'

const freshWorkers = 3
const burst = 10
const burstMs = 1_000
const mostS = 1
const local = 'the local vendors'
const faked = 'faked vendors'

type Deployment = BenchDeployment & { fleetKey: string }

/** What the first callers of a worker wait for: until it rings, until it is answered, until the agent speaks. */
export async function firstCall(): Promise<boolean> {
  await using parts = new AsyncDisposableStack()
  const fake = await startFakedSpeech()
  parts.defer(() => fake.stop())
  const fleetKey = `svc_fleet_${randomBytes(32).toString('base64url')}`
  const deployment = parts.use(
    await startBenchDeployment({
      SVC_FLEET_KEY: fleetKey,
      SVC_PROVIDER_KEY_OPENAI: 'bench',
      SVC_PROVIDER_KEY_DEEPGRAM: 'bench',
      SVC_NEW_ORG_CREDITS: '1000000',
    }),
  )
  const { ask } = deployment
  await ask('POST', '/v1/ops/orgs', { slug: 'bench' })
  const token = { label: 'bench', env: 'sandbox', scopes: ['app', 'talk'] }
  const { key } = await ask('POST', '/v1/ops/orgs/bench/keys', token)
  const switchroom = connect({ app: 'bench', url: deployment.url, key: String(key) })
  parts.defer(() => switchroom.close())
  const settings = { greeting: { say: 'Hello, how can I help you today?' } }
  await switchroom.hold(new Agent({ name: 'bench', prompt: 'You tell the time.', settings }))

  const all = { ...deployment, fleetKey }
  let isKept = true
  for (const spokenWith of [local, faked]) {
    await speakWith(ask, spokenWith === faked ? fake.url : null)
    isKept = (await firstCallers(all, spokenWith)) && isKept
  }
  return isKept
}

async function firstCallers(deployment: Deployment, vendors: string): Promise<boolean> {
  const firsts: number[] = []
  const nexts: number[] = []
  for (let round = 0; round < freshWorkers; round += 1) {
    await using worker = await startWorker(deployment)
    const first = await timedCall(worker.sipPort, 'bench', `first-${round}`)
    await first.hangUp()
    const next = await timedCall(worker.sipPort, 'bench', `next-${round}`)
    await next.hangUp()
    firsts.push(first.soundMs / 1000)
    nexts.push(next.soundMs / 1000)
  }
  say(`  ${vendors}: from the answer to the first sound, ${freshWorkers} workers that were just started`)
  say(`  first call ${seconds(firsts)}; second call ${seconds(nexts)}`)
  await using worker = await startWorker(deployment)
  const calls = await Promise.all(
    Array.from({ length: burst }, async (_, at) => {
      await sleep((at * burstMs) / burst)
      return timedCall(worker.sipPort, 'bench', `burst-${at}`)
    }),
  )
  await Promise.all(calls.map((call) => call.hangUp()))
  const of = (what: 'ringsMs' | 'answeredMs' | 'soundMs') => calls.map((call) => call[what] / 1000)
  say(`  ${burst} calls within a second, the first of a worker: until it rings ${seconds(of('ringsMs'))}`)
  say(
    `  until it is answered ${seconds(of('answeredMs'))}; from then to the first sound ${seconds(of('soundMs'))}`,
  )
  const kept = [
    judge(`${vendors}: seconds from the answer to the first sound, first call`, worst(firsts), {
      atMost: mostS,
    }),
    judge(`${vendors}: first call in times of the second`, median(firsts) / median(nexts), { atMost: 1.5 }),
    judge(`${vendors}: seconds that each of ten calls rings`, worst(of('answeredMs')), { atMost: mostS }),
  ]
  // the local voice takes a fifth of a second of a core for each greeting, on the cores that run all the rest
  if (vendors !== local)
    kept.push(
      judge(`${vendors}: seconds to the first sound of each of ten calls`, worst(of('soundMs')), {
        atMost: mostS,
      }),
    )
  return kept.every(Boolean)
}

async function startWorker({ url, fleetKey }: Deployment) {
  const sipPort = await freePort()
  const worker = await startProcess('worker/src/main.ts', {
    SVC_GATEWAY_URL: url,
    SVC_FLEET_KEY: fleetKey,
    SVC_SIP_PORT: String(sipPort),
    SVC_SIP_LOCAL_ORG: 'bench',
    SVC_LOG_LEVEL: 'warn',
  })
  return { ...worker, sipPort }
}

/** With vendors that are faked at an address, or with the local ones. */
async function speakWith(ask: BenchDeployment['ask'], url: string | null): Promise<void> {
  const row = await ask('GET', '/v1/ops/providers')
  if (url === null) return
  for (const stage of ['llm/openai', 'tts/openai', 'stt/deepgram'])
    row.options[stage] = { ...row.options[stage], base_url: url }
  row.defaults = { ...row.defaults, llm: 'openai/gpt-4.1-mini', stt: 'deepgram/nova-3', tts: 'openai' }
  row.models['tts/openai'] = ['gpt-4o-mini-tts']
  await ask('PUT', '/v1/ops/providers', row)
}

const worst = (numbers: readonly number[]) => Math.max(...numbers)
const seconds = (numbers: readonly number[]) =>
  `${numbers
    .toSorted((a, b) => a - b)
    .map((one) => one.toFixed(2))
    .join(' ')} s`
