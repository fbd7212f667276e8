import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { CallerPhone } from '@switchroom/cli/load/sip/caller-phone'
import { recordedSpeech } from '@switchroom/cli/load/sip/recorded-speech'
import { freePort } from '@switchroom/launcher/testing/free-port'
import { SipServer } from '@switchroom/media/sip/server'
import { Agent, connect } from '@switchroom/sdk'
import { MediaPorts } from '@switchroom/media/rtp/media-ports'
import { startBenchDeployment } from './deployment.ts'
import { fakedMs, startFakedSpeech } from './faked-speech.ts'
import { cpuSeconds, memoryMb, startProcess } from './processes.ts'
import { judge, percentile, say } from './report.ts'
import { LoopDelays, sayStages } from './turn-stages.ts'

/** The number of calls for the cores, which also run the callers, the vendors and the gateway. */
const mostPerCore = 20
/** So few that no call waits for a core: the latency of an answer by itself. */
const fewPerCore = 5
const turns = 5
const phoneRate = 8_000
/** What another publishes for its worker: cores a call, and seconds from the end of speech to the first sound. */
const peer = { cores: [0.14, 0.19], answeredS: [1.23, 1.31] } as const
const answerWithinMs = 8_000
const greetWithinMs = 60_000

/** As many calls as the cores should carry, and a few of them: every one says five things and is answered. */
export async function spokenCalls(): Promise<boolean> {
  const few = await callsAtOnce(fewPerCore)
  const most = await callsAtOnce(mostPerCore)
  const isAnswered = judge('turns not answered', few.unanswered + most.unanswered, { atMost: 0 })
  const isCheap = judge('cores a call', most.coresPerCall, { atMost: 0.03 })
  const vendorsS = fakedMs / 1_000
  const soon = [
    judge('a few calls, p50, in times of the vendors', few.p50 / vendorsS, { atMost: 1.75 }),
    judge('a few calls, p95, in times of the vendors', few.p95 / vendorsS, { atMost: 2.15 }),
    judge('all calls, p50, in times of the vendors', most.p50 / vendorsS, { atMost: 2.15 }),
    judge('all calls, p95, in times of the vendors', most.p95 / vendorsS, { atMost: 3.1 }),
  ]
  return isAnswered && isCheap && soon.every(Boolean)
}

async function callsAtOnce(perCore: number) {
  const cores = availableParallelism()
  const calls = perCore * cores
  await using parts = new AsyncDisposableStack()
  const fake = await startFakedSpeech()
  parts.defer(() => fake.stop())
  const delays = parts.use(new LoopDelays())
  const fleetKey = `svc_fleet_${randomBytes(32).toString('base64url')}`
  const gateway = parts.use(
    await startBenchDeployment({
      SVC_FLEET_KEY: fleetKey,
      SVC_PROVIDER_KEY_OPENAI: 'bench',
      SVC_PROVIDER_KEY_DEEPGRAM: 'bench',
      SVC_NEW_ORG_CREDITS: '1000000',
      ...delays.environment,
    }),
  )
  const key = await prepareOrg(gateway.ask, fake.url)
  const switchroom = connect({ app: 'bench', url: gateway.url, key })
  parts.defer(() => switchroom.close())
  const settings = { greeting: { say: 'Hello.' } }
  await switchroom.hold(new Agent({ name: 'bench', prompt: 'You tell the time.', settings }))
  const sipPort = await freePort()
  const worker = parts.use(
    await startProcess('worker/src/main.ts', {
      SVC_GATEWAY_URL: gateway.url,
      SVC_FLEET_KEY: fleetKey,
      SVC_SIP_PORT: String(sipPort),
      SVC_SIP_LOCAL_ORG: 'bench',
      SVC_WORKER_CALLS: String(2 * calls),
      SVC_LOG_LEVEL: 'warn',
      ...delays.environment,
    }),
  )
  const phones = await startPhones()
  parts.defer(() => phones.stop())

  const answered: number[] = []
  let unanswered = 0
  let [cpuBefore, begun] = [noCpu, 0]
  const spent = () => cpuOfAll(worker.pid, gateway.pid)
  const inCall = Promise.withResolvers<void>()
  let connected = 0
  const all = Array.from({ length: calls }, async (_, place) => {
    await sleep(place * 50) // calls do not start all at once
    const phone = await callFrom(phones, sipPort)
    await phone.untilGreeted()
    connected += 1
    if (connected === calls) {
      ;[cpuBefore, begun] = [spent(), performance.now()]
      inCall.resolve()
    }
    await inCall.promise
    await sleep(place * 37)
    for (let turn = 0; turn < turns; turn += 1) {
      const tookMs = await phone.ask()
      if (tookMs === undefined) unanswered += 1
      else answered.push(tookMs)
      await phone.untilQuiet()
    }
    return phone
  })
  const open = await Promise.all(all)
  const seconds = (performance.now() - begun) / 1000
  const cpu = spent()
  const used = cpu.worker - cpuBefore.worker
  const memory = memoryOf(worker.pid)
  await Promise.all(open.map((phone) => phone.hangUp()))

  const coresPerCall = used / seconds / calls
  const [p50, p95] = [percentile(answered, 50) / 1000, percentile(answered, 95) / 1000]
  say(`  ${calls} calls at once on ${cores} cores, ${turns} turns each: ${unanswered} turns not answered`)
  say(
    `  ${coresPerCall.toFixed(3)} cores a call (a peer publishes ${peer.cores.join(' to ')}), ${memory} MB in all`,
  )
  const perTurn = (Object.keys(noCpu) as (keyof typeof noCpu)[]).map(
    (who) => `${who} ${Math.round((1_000 * (cpu[who] - cpuBefore[who])) / (calls * turns))} ms`,
  )
  say(`  processor time a turn, with all before and after it: ${perTurn.join(', ')}`)
  say(
    `  from the end of speech to the first sound: p50 ${p50.toFixed(2)} s, p95 ${p95.toFixed(2)} s (a peer publishes ${peer.answeredS.join(' and ')})`,
  )
  say(`  of which the faked vendors take about ${fakedMs} ms`)
  await sayStages(gateway.databaseUrl, answered)
  delays.say()
  return { unanswered, coresPerCall, p50, p95 }
}

type Ask = Awaited<ReturnType<typeof startBenchDeployment>>['ask']

/** An org on faked vendors, and a key of it. */
export async function prepareOrg(ask: Ask, vendorUrl: string, scopes = ['app', 'talk']): Promise<string> {
  const row = await ask('GET', '/v1/ops/providers')
  for (const stage of ['llm/openai', 'tts/openai', 'stt/deepgram'])
    row.options[stage] = { ...row.options[stage], base_url: vendorUrl }
  row.defaults = { ...row.defaults, llm: 'openai/gpt-4.1-mini', stt: 'deepgram/nova-3', tts: 'openai' }
  row.models['tts/openai'] = ['gpt-4o-mini-tts']
  await ask('PUT', '/v1/ops/providers', row)
  await ask('POST', '/v1/ops/orgs', { slug: 'bench' })
  const token = { label: 'bench', env: 'sandbox', scopes }
  return String((await ask('POST', '/v1/ops/orgs/bench/keys', token)).key)
}

export async function startPhones(): Promise<SipServer> {
  const ports = new MediaPorts({ first: 40_000, last: 59_999 })
  return SipServer.start({
    host: '127.0.0.1',
    port: 0,
    publicAddress: '127.0.0.1',
    fences: () => [],
    isLocalAllowed: false,
    allocatePort: ports.allocate,
    releasePort: ports.release,
    onInvite: (invite) => invite.reject(480),
  })
}

/** Recorded speech: what hears it may be asked whether it is any. */
const fox = fileURLToPath(new URL('../../vendors/kit/testing/recordings/fox.wav', import.meta.url))
const question = recordedSpeech(fox).slice(0, 2 * phoneRate)

export async function callFrom(phones: SipServer, sipPort: number) {
  const phone = await CallerPhone.call(phones, {
    to: 'bench',
    from: '+15550100100',
    trunk: { hostname: `127.0.0.1:${sipPort}`, auth_username: '', auth_password: '' },
  })
  return {
    /** Milliseconds from the end of what was asked to the first sound of the answer. */
    ask: (words: Int16Array = question) => phone.ask(words, answerWithinMs),
    untilQuiet: () => phone.untilQuiet(),
    untilGreeted: () => phone.untilGreeted(greetWithinMs),
    hangUp: () => phone.hangUp(),
  }
}

/** Of the worker and every process under it; one that ended meanwhile counts nothing. */
const sumOf = (pid: number, read: (pid: number) => number): number =>
  [pid, ...childrenOf(pid)].reduce((sum, one) => sum + readOr(0, () => read(one)), 0)
export const cpuOf = (pid: number) => sumOf(pid, cpuSeconds)

/** Seconds of CPU so far; this program has the phones and the faked vendors, and started the database. */
const noCpu = { worker: 0, gateway: 0, database: 0, bench: 0 }
function cpuOfAll(workerPid: number, gatewayPid: number): typeof noCpu {
  const [worker, gateway, bench] = [cpuOf(workerPid), cpuOf(gatewayPid), cpuSeconds(process.pid)]
  return { worker, gateway, database: cpuOf(process.pid) - worker - gateway - bench, bench }
}

const memoryOf = (pid: number) => sumOf(pid, memoryMb)

function childrenOf(pid: number): number[] {
  const children = readdirSync('/proc')
    .map(Number)
    .filter((one) => one > 0 && parentOf(one) === pid)
  return children.flatMap((child) => [child, ...childrenOf(child)])
}

const parentOf = (pid: number) =>
  readOr(0, () => Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[1]))

function readOr<Value>(otherwise: Value, read: () => Value): Value {
  try {
    return read()
  } catch {
    return otherwise
  }
}
