import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  fleetKey,
  startDeployment,
  type Deployment,
  type TestOrg,
} from '@switchroom/gateway/testing/deployment'
import { findVendors } from '@switchroom/kit/installed'
import { afterwards, type Lasting } from '@switchroom/launcher/testing/folders'
import { freePort } from '@switchroom/launcher/testing/free-port'
import { until } from '@switchroom/launcher/testing/waiting'
import { resampled } from '@switchroom/audio/resampler'
import { Agent, connect, type AgentOptions, type Call, type Switchroom } from '@switchroom/sdk/sdk'

const root = fileURLToPath(new URL('../..', import.meta.url))
const phoneRate = 8_000

/** As a log shows it. */
export interface Entry {
  type: string
  ts: number
  data: Record<string, unknown>
}

/** A worker as it ships, in a process of its own; of another release, if its folder is given. */
export class WorkerProcess {
  readonly sipPort: number
  readonly ended: Promise<number | null>
  readonly child: ChildProcess
  #said = ''

  constructor(sipPort: number, settings: Record<string, string>, release = root) {
    this.sipPort = sipPort
    const inherited = Object.entries(process.env).filter(([name]) => !/^(SVC_|NODE_TEST_)/.test(name))
    this.child = spawn(process.execPath, ['worker/src/main.ts'], {
      cwd: release,
      env: { ...Object.fromEntries(inherited), ...settings },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    this.child.stdout?.on('data', (chunk) => (this.#said += String(chunk)))
    this.child.stderr?.on('data', (chunk) => (this.#said += String(chunk)))
    this.ended = once(this.child, 'exit').then(() => this.child.exitCode)
  }

  get said(): string {
    return this.#said
  }

  async untilReady(): Promise<this> {
    const isReady = Promise.race([once(this.child, 'message').then(() => true), this.ended.then(() => false)])
    if (!(await isReady)) throw new Error(`the worker did not start: ${this.#said}`)
    return this
  }

  /** The processes in which it runs calls. */
  get processes(): number[] {
    return readdirSync('/proc')
      .map(Number)
      .filter((pid) => pid > 0 && parentOf(pid) === this.child.pid && commandOf(pid).includes('call-process'))
      .toSorted((a, b) => a - b)
  }
}

/** A gateway, a worker and an org, whose agents phones on this machine call by name. */
export interface VoiceDeployment {
  deployment: Deployment
  org: TestOrg
  /** What an app of the org connects with. */
  key: string
  worker: WorkerProcess
  /** Another worker of the same fleet. */
  another: (settings?: Record<string, string>) => Promise<WorkerProcess>
  calls: () => Promise<string[]>
  entriesOf: (call: string) => Promise<Entry[]>
  /** Waits until the call's log holds what is asked for, and answers the whole log. */
  untilLogged: (call: string, what: string, isThere: (entries: Entry[]) => boolean) => Promise<Entry[]>
  untilEnded: (call: string) => Promise<Entry[]>
}

/** The same with one agent, whose app is the test itself. */
export interface VoiceAgentFixture extends VoiceDeployment {
  agent: Agent
  switchroom: Switchroom
  /** The next call that the agent has, as its app sees it; each is handed out once. */
  nextCall: (fits?: (call: Call) => boolean) => Promise<Call>
}

export interface VoiceDeploymentSettings {
  gateway?: Record<string, string>
  worker?: Record<string, string>
}

export async function startVoiceAgent(
  t: Lasting,
  agentOptions: Partial<AgentOptions> = {},
  settings: VoiceDeploymentSettings = {},
): Promise<VoiceAgentFixture> {
  const fixture = await startVoiceDeployment(t, settings)
  const agent = new Agent({ name: 'hello', prompt: 'You are the host.', ...agentOptions })
  const switchroom = connect({ app: 'e2e', url: fixture.deployment.url, key: fixture.key })
  afterwards(t, () => switchroom.close())
  const started: Call[] = []
  agent.on('call.started', (call) => void started.push(call))
  await switchroom.hold(agent)
  return {
    ...fixture,
    agent,
    switchroom,
    nextCall: (fits = () => true) => {
      const take = () => {
        const at = started.findIndex(fits)
        return at < 0 ? undefined : started.splice(at, 1)[0]
      }
      return until('a call has started', take, 60_000)
    },
  }
}

export async function startVoiceDeployment(
  t: Lasting,
  settings: VoiceDeploymentSettings = {},
): Promise<VoiceDeployment> {
  const deployment = await startDeployment({ SVC_PRIVATE_HOSTS: '127.0.0.1', ...settings.gateway })
  afterwards(t, () => deployment[Symbol.asyncDispose]())
  const org = await deployment.newOrg()
  // Tests dial and send callers on faster than an org may by default.
  const pace = await deployment.operator.put(`/v1/ops/orgs/${org.slug}/dialling`, { per_minute: 1000 })
  assert.equal(pace.status, 200, pace.text)
  const { key, client } = await org.serverToken('sandbox', { scopes: ['app', 'calls', 'talk'] })

  const another = async (further: Record<string, string> = {}) => {
    const sipPort = await freePort()
    const worker = new WorkerProcess(sipPort, {
      SVC_GATEWAY_URL: deployment.url,
      SVC_FLEET_KEY: fleetKey,
      SVC_SIP_PORT: String(sipPort),
      SVC_SIP_LOCAL_ORG: org.slug,
      SVC_WORKER_CALLS: '5', // one process waits for them
      SVC_PRIVATE_HOSTS: '127.0.0.1',
      ...settings.worker,
      ...further,
    })
    afterwards(t, async () => {
      worker.child.kill('SIGINT')
      await worker.ended
    })
    return worker.untilReady()
  }
  const entriesOf = async (call: string): Promise<Entry[]> => {
    const page = await client.get(`/v1/calls/${call}/events?limit=1000`)
    return page.body.entries
  }
  const worker = await another()
  const fixture: VoiceDeployment = {
    deployment,
    org,
    key,
    worker,
    another,
    entriesOf,
    calls: async () => {
      const { rows } = await deployment.sql('select id from calls order by opened_at')
      return rows.map(({ id }) => id as string)
    },
    async untilLogged(call, what, isThere) {
      let entries: Entry[] = []
      await until(
        what,
        async () => {
          entries = await entriesOf(call)
          return isThere(entries)
        },
        60_000,
      ).catch((error: Error) => {
        throw new Error(`${error.message}; ${told(entries, worker)}`)
      })
      return entries
    },
    untilEnded: (call) =>
      fixture.untilLogged(call, 'the call has ended', (log) => log.at(-1)?.type === 'call.ended'),
  }
  return fixture
}

/** What the message of a failed test shows. */
export function told(entries: readonly Entry[], worker: WorkerProcess): string {
  const lines = entries.map(({ ts, type, data }) => `${ts} ${type} ${JSON.stringify(data)}`)
  return `the log: ${lines.join('\n')}; the worker said: ${worker.said}`
}

/** What a person says, as a phone sends it. */
export async function speech(text: string): Promise<Int16Array> {
  const voice = await findVendors()
    .get('local')
    ?.voice({ knobs: { language: 'en' }, credentials: {} })
  if (!voice) throw new Error('the vendor local has no voice')
  const pieces: Uint8Array[] = []
  for await (const spoken of voice.speak(text, AbortSignal.timeout(30_000)))
    if (spoken.type === 'audio') pieces.push(Uint8Array.from(spoken.pcm))
  const bytes = Buffer.concat(pieces)
  const samples = new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
  return resampled(samples, voice.sampleRate, phoneRate)
}

export const silence = (seconds: number) => new Int16Array(Math.round(seconds * phoneRate))

export function joined(...pieces: Int16Array[]): Int16Array {
  const whole = new Int16Array(pieces.reduce((length, piece) => length + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

export const typesOf = (entries: readonly Entry[]) => entries.map(({ type }) => type)

/** The texts of one kind of turn. */
export const textsOf = (entries: readonly Entry[], type: string) =>
  entries.filter((entry) => entry.type === type).map(({ data }) => String(data['text']))

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // it ended meanwhile
  }
}

const commandOf = (pid: number) => readOrEmpty(`/proc/${pid}/cmdline`)
const parentOf = (pid: number) => Number(readOrEmpty(`/proc/${pid}/stat`).split(') ')[1]?.split(' ')[1])
