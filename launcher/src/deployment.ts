import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  fleetKey,
  logFolder,
  openDataFolder,
  openLog,
  operatorKey,
  operatorKeyFile,
  rotateLogs,
  vaultKey,
} from './data-folder.ts'
import { inviteDemoAdmin } from './demo.ts'
import { chatCommand, exampleEnvironment } from './example.ts'
import { Failure } from './failures.ts'
import { KeptProcess } from './kept-process.ts'
import { lockFolder, type FolderLock } from './lock.ts'
import { startPostgres } from './postgres.ts'
import {
  gatewayAddress,
  gatewayAddressFromHere,
  gatewayDefaults,
  mediaKeys,
  phoneAddress,
  plainSettings,
  voiceAddress,
  type Settings,
} from './settings.ts'
import { complain, say, step } from './steps.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** A busy deployment writes some megabytes in this time. */
const rotateEveryMs = 30_000

interface Part {
  name: string
  stop(): Promise<void> | void
  kill(): void
}

/** Everything one start runs, in order, and stops in the reverse order. */
export class Deployment {
  readonly dataFolder: string
  readonly #settings: Settings
  readonly #interrupted: AbortSignal
  readonly #parts: Part[] = []
  #lock: FolderLock | undefined
  #phones: string
  /** For how long the gateway keeps what ages, as a sentence. */
  #kept = ''
  #hasExample = false
  readonly #lost = Promise.withResolvers<never>()

  constructor(settings: Settings, interrupted: AbortSignal) {
    this.dataFolder = settings.dataFolder
    this.#settings = settings
    this.#interrupted = interrupted
    this.#phones = phoneAddress(settings)
    this.#lost.promise.catch(() => {}) // awaited only once everything runs
  }

  async start(): Promise<void> {
    const { version }: { version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    say(`Switchroom ${version}`)
    openDataFolder(this.dataFolder)
    this.#lock = await lockFolder(
      this.dataFolder,
      () => say('  waiting for the Switchroom that is stopping in this folder ...'),
      this.#interrupted,
    )
    setInterval(() => this.#rotateLogs(), rotateEveryMs).unref()
    const keys = {
      vault: this.#settings.vaultKey ?? vaultKey(this.dataFolder),
      operator: this.#settings.operatorKey ?? operatorKey(this.dataFolder),
      fleet: this.#settings.fleetKey ?? fleetKey(this.dataFolder),
    }
    const databaseUrl = this.#settings.databaseUrl ?? (await this.#startDatabase())
    const shared = {
      SVC_DATA: this.dataFolder,
      SVC_FLEET_KEY: keys.fleet,
      NODE_COMPILE_CACHE: this.#compileCache(),
    }
    const gateway = this.#startProcess('the gateway', 'gateway', {
      ...gatewayDefaults(this.#settings),
      ...process.env,
      ...shared,
      SVC_RECORDINGS: this.#settings.recordings,
      SVC_CONSOLE: this.#settings.console,
      SVC_DATABASE_URL: databaseUrl,
      SVC_VAULT_KEY: keys.vault,
      SVC_OPERATOR_KEY: keys.operator,
    })
    const voiceServer = this.#startProcess('the voice server', 'speech', {
      ...plainSettings(process.env),
      ...shared,
      SVC_GATEWAY_URL: gatewayAddressFromHere(this.#settings),
    })
    voiceServer.catch(() => {}) // the gateway reports what keeps both from starting
    await gateway
    const worker = this.#startWorker(shared) // last, so that the first answer does not wait for it
    await voiceServer
    this.#sayWhatRuns()
    if (this.#settings.demo) {
      await this.#tryDemo('could not create the demo org', () => this.#inviteDemoAdmin(keys.operator))
      await this.#tryDemo('could not start the example agent', () => this.#startExample(keys.operator))
    }
    await worker
    this.#interrupted.throwIfAborted()
    if (this.#hasExample) this.#sayHowToCall()
  }

  async #startWorker(shared: Record<string, string>): Promise<void> {
    const worker = new KeptProcess({
      name: 'the worker',
      program: join(root, 'worker', 'src', 'main.ts'),
      folder: root,
      environment: {
        ...plainSettings(process.env),
        ...shared,
        ...mediaKeys(process.env),
        SVC_GATEWAY_URL: gatewayAddressFromHere(this.#settings),
        SVC_SIP_LOCAL_ORG: this.#settings.localOrg,
        SVC_UNSENT_RECORDINGS: this.#settings.unsentRecordings,
      },
      log: openLog(this.dataFolder, 'worker.log'),
      tell: complain,
      hear: (message) => (this.#phones = textIn(message, 'phones') ?? this.#phones),
      stopSignal: 'SIGINT', // its calls cannot continue without the gateway
    })
    this.#parts.push({ name: 'the worker', stop: () => worker.stop(), kill: () => worker.kill() })
    await step('starting the worker', worker.startOrRetry(this.#interrupted))
  }

  #rotateLogs(): void {
    try {
      rotateLogs(this.dataFolder)
    } catch (error) {
      complain(`the logs could not be rotated (${error instanceof Error ? error.message : String(error)})`)
    }
  }

  #compileCache(): string {
    return process.env['NODE_COMPILE_CACHE'] ?? join(this.dataFolder, 'cache')
  }

  async #startDatabase(): Promise<string> {
    const cluster = join(this.dataFolder, 'postgres')
    const log = openLog(this.dataFolder, 'postgres.log')
    const doing = existsSync(cluster) ? 'starting the database' : 'creating the database'
    const postgres = await step(doing, startPostgres({ cluster, log, signal: this.#interrupted }))
    this.#parts.push({ name: 'the database', stop: () => postgres.stop(), kill: () => postgres.kill() })
    void postgres.ended.then(() =>
      this.#lost.reject(new Failure(`the database stopped: read ${log.file}, then start again`)),
    )
    return postgres.url('switchroom')
  }

  async #startProcess(name: string, room: string, environment: NodeJS.ProcessEnv): Promise<void> {
    const kept = new KeptProcess({
      name,
      program: join(root, room, 'src', 'main.ts'),
      folder: root,
      environment,
      log: openLog(this.dataFolder, `${room}.log`),
      tell: complain,
      hear: (message) => (this.#kept = textIn(message, 'kept') ?? this.#kept),
    })
    this.#parts.push({ name, stop: () => kept.stop(), kill: () => kept.kill() })
    await step(`starting ${name}`, kept.start(this.#interrupted))
  }

  #sayWhatRuns(): void {
    const { databaseUrl, operatorKey: ownKey } = this.#settings
    const address = gatewayAddress(this.#settings)
    const lines = {
      gateway: address,
      'voice server': voiceAddress(this.#settings),
      reference: `${address}/docs`,
      database: databaseUrl ? 'SVC_DATABASE_URL' : join(this.dataFolder, 'postgres'),
      'operator key': ownKey ? 'SVC_OPERATOR_KEY' : operatorKeyFile(this.dataFolder),
      logs: logFolder(this.dataFolder),
    }
    say(['', ...Object.entries(lines).map(([what, where]) => `  ${what.padEnd(14)}${where}`), ''].join('\n'))
    if (this.#kept) say(`  ${this.#kept.charAt(0).toUpperCase()}${this.#kept.slice(1)}.\n`)
  }

  #operatorApi(key: string) {
    const address = gatewayAddressFromHere(this.#settings)
    return { dataFolder: this.dataFolder, address, operatorKey: key, signal: this.#interrupted }
  }

  async #inviteDemoAdmin(key: string): Promise<void> {
    await inviteDemoAdmin(this.#operatorApi(key), (link) => {
      say(`  Open this link to become the demo org's admin (valid once, for a week):\n  ${link}\n`)
    })
  }

  async #startExample(key: string): Promise<void> {
    const environment = await exampleEnvironment(this.#operatorApi(key))
    if (!environment) return
    const example = new KeptProcess({
      name: 'the example agent',
      program: join(root, 'examples', 'hello', 'hello.ts'),
      folder: root,
      environment: { ...environment, SVC_DATA: this.dataFolder, NODE_COMPILE_CACHE: this.#compileCache() },
      log: openLog(this.dataFolder, 'hello.log'),
      tell: complain,
    })
    this.#parts.push({
      name: 'the example agent',
      stop: () => example.stop(),
      kill: () => example.kill(),
    })
    await step('starting the example agent', example.startOrRetry(this.#interrupted))
    this.#interrupted.throwIfAborted()
    say(`  Chat with the example agent, in another terminal:\n  ${chatCommand(this.dataFolder)}\n`)
    this.#hasExample = true
  }

  #sayHowToCall(): void {
    const [phone, browser] = [
      `sip:hello@${this.#phones}`,
      `${gatewayAddress(this.#settings)}/sandbox/agents/hello`,
    ]
    say(`  Call it:\n  ${'phone'.padEnd(14)}${phone}\n  ${'browser'.padEnd(14)}${browser}\n`)
  }

  /** A failure of the demo does not stop the start. */
  async #tryDemo(failure: string, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#interrupted.throwIfAborted()
      complain(`${failure} (${error instanceof Error ? error.message : String(error)})`)
    }
  }

  /** Resolves when the deployment is asked to stop; rejects when it cannot continue. */
  async untilLost(): Promise<void> {
    if (this.#interrupted.aborted) return
    await Promise.race([once(this.#interrupted, 'abort'), this.#lost.promise])
  }

  async stop(): Promise<void> {
    this.#lock?.stopping()
    for (const part of this.#parts.toReversed())
      await step(`stopping ${part.name}`, Promise.resolve(part.stop()))
    this.#lock?.release()
  }

  kill(): void {
    for (const part of this.#parts.toReversed()) part.kill()
  }
}

/** What a process told its parent: a worker its address if that is not the one in the settings, a gateway what it keeps. */
function textIn(message: unknown, name: 'phones' | 'kept'): string | undefined {
  const { [name]: told } = (message ?? {}) as Record<string, unknown>
  return typeof told === 'string' ? told : undefined
}
