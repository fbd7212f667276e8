import { setTimeout as sleep } from 'node:timers/promises'
import type { Environment } from '@switchroom/contract/scopes'
import { findVendors } from '@switchroom/kit/installed'
import { MediaError } from '@switchroom/media/plane'
import { SipServer, type SipOptions } from '@switchroom/media/sip/server'
import { ServerCertificate } from '@switchroom/media/sip/server-certificate'
import { listenFailure } from '@switchroom/process/listeners'
import { PrivateNetworks } from '@switchroom/process/private-networks'
import { PeriodicTasks } from '@switchroom/process/periodic-tasks'
import type { Logger } from 'pino'
import { Heartbeats } from './heartbeats.ts'
import { CarriersInOrder } from './phone/carriers-in-order.ts'
import { DialledAddresses } from './phone/dialled-addresses.ts'
import { Fences } from './phone/fences.ts'
import { GatewayClient } from './gateway-client.ts'
import { Inbound } from './phone/inbound.ts'
import type { LiveKitCallsParts } from './livekit/livekit-calls.ts'
import { LentVendors } from './processes/lent-vendors.ts'
import { tellLostCaller } from './processes/lost-calls.ts'
import { MediaPorts } from '@switchroom/media/rtp/media-ports'
import { Outbound } from './phone/outbound.ts'
import { takePlacements } from './phone/placements.ts'
import { Registrations } from './phone/registrations.ts'
import { TrunkTests } from './phone/trunk-tests.ts'
import { placesAhead, thisMachine } from './processes/places-ahead.ts'
import { RunningCalls, type Dial } from './processes/running-calls.ts'
import { Sentences } from './sentences.ts'
import { UnsentRecordings } from './call/unsent-recordings.ts'
import { workerName, type Settings } from './settings.ts'
import { observeWorker, sipMetrics, type WorkerMeters } from './worker-metrics.ts'

const usualPort = 5060
/** Callers who come before the worker's own sentences are made would hear nothing instead of them. */
const sentencesWithinMs = 20_000
/** More often than the vendors of this machine end what is not used. */
const warmEveryMs = 4 * 60_000
const lostAfterMs = 30_000

interface WorkerParts {
  logger: Logger
  /** Undefined if every call comes from a media server. */
  sip: SipServer | undefined
  registrations: Registrations | undefined
  calls: RunningCalls
  heartbeats: Heartbeats
  tasks: PeriodicTasks
  unsent: UnsentRecordings
  /** Aborted: no new call is accepted. */
  draining: AbortController
  stopping: AbortController
}

/** Answers and dials calls, and runs each in a process that runs a few of them. */
export class Worker {
  readonly #parts: WorkerParts

  private constructor(parts: WorkerParts) {
    this.#parts = parts
  }

  /** Undefined if every call comes from a media server. */
  get sipPort(): number | undefined {
    return this.#parts.sip?.port
  }

  /** Undefined without a certificate. */
  get sipTlsPort(): number | undefined {
    return this.#parts.sip?.tlsPort ?? undefined
  }

  /**
   * Resolves once the SIP port is open and processes for calls are ready: what calls before hears it ring. The
   * gateway sends the fences as soon as it answers.
   */
  static async start(settings: Settings, log: Logger, meters: WorkerMeters): Promise<Worker> {
    const { environments, capacity, callsPerProcess, localOrg, mediaServers } = settings
    const embedded = environments.filter((env) => !mediaServers[env])
    const gateway = new GatewayClient(settings, workerName())
    const logger = log.child({ worker: gateway.worker })
    const [draining, stopping] = [new AbortController(), new AbortController()]
    const [fences, ports, sentences] = [
      new Fences(),
      new MediaPorts(settings.mediaPorts),
      new Sentences(logger),
    ]
    const nameServers = settings.resolver === undefined ? undefined : [settings.resolver]
    const addresses = new DialledAddresses(
      settings.privateHosts,
      new PrivateNetworks(settings.privateNetworks),
      nameServers,
    )
    const dial: Dial = async (to, trunk, from, signal, more) => {
      await addresses.expect(trunk.hostname, trunk.transport)
      if (!sip) throw new MediaError('this worker has no phones of its own')
      return sip.invite(to, trunk, from, signal, more)
    }
    const vendors = findVendors(settings.vendorFolders)
    const calls: RunningCalls = new RunningCalls({
      worker: gateway.worker,
      capacity,
      callsPerProcess,
      placesAhead: placesAhead(settings, thisMachine()),
      lent: await LentVendors.among(vendors),
      logger,
      dialLeg: ({ to, from, caller, ...routes }, signal) => {
        const forwards = caller === undefined ? {} : { caller }
        return new CarriersInOrder(routes).dial(
          (trunk, more) => dial(to, trunk, from, signal, { ...more, ...forwards }),
          signal,
        )
      },
      onLost: (lost) => tellLostCaller(sentences, lost),
      onLostProcess: (call) => {
        logger.error({ call }, 'a call was lost with its process')
        meters.count('switchroom_lost_calls_total')
      },
      clipOf: ({ occasion, language, callsBack }) => sentences.clipOf(occasion, language, callsBack),
    })
    const isDraining = () => draining.signal.aborted
    observeWorker(meters, { calls, capacity, isDraining })
    const inbound = new Inbound({ gateway, logger, calls, sentences, localOrg, isDraining })
    const outbound = new Outbound({ gateway, logger, calls, dial })
    const hasPhones = embedded.length > 0 || localOrg !== undefined
    const sip: SipServer | undefined = await startSip(settings, hasPhones, {
      host: settings.sipHost,
      publicAddress: settings.mediaAddress,
      ...(settings.mediaAddress6 !== undefined && { publicAddress6: settings.mediaAddress6 }),
      ...(nameServers && { nameServers }),
      fences: () => fences.all,
      isLocalAllowed: localOrg !== undefined,
      allocatePort: ports.allocate,
      releasePort: ports.release,
      onInvite: (invite) => void inbound.take(invite),
      mayDial: addresses.mayDial,
      ...sipMetrics(meters),
      log: (sentence) => logger.info(sentence),
    })
    const trunkTests = new TrunkTests({ gateway, sip, addresses, dial, logger })
    for (const env of embedded) void fences.follow(gateway, env, logger, stopping.signal)
    const made = sentences.make(vendors)
    await Promise.all([
      calls.processes.fill(),
      Promise.race([made, sleep(sentencesWithinMs, undefined, { ref: false })]),
    ])
    for (const env of embedded) {
      const place = outbound.place.bind(outbound)
      const answer = calls.runBrowser.bind(calls)
      const test = trunkTests.run.bind(trunkTests)
      void takePlacements({ gateway, logger, calls, dial: place, answer, test }, env, draining.signal)
    }
    const load = () => ({ calls: calls.count, capacity, draining: isDraining() })
    const heartbeats = new Heartbeats({ gateway, environments, load, logger })
    const tasks = new PeriodicTasks(logger)
    tasks.start(heartbeats.task)
    const unsent = new UnsentRecordings({ folder: settings.unsentRecordings, gateway, logger })
    tasks.start(unsent.task)
    tasks.start({ name: 'keep vendors warm', everyMs: warmEveryMs, run: async () => calls.keepWarm() })
    const registrations =
      sip &&
      new Registrations({ gateway, environments: embedded, sip, addresses, fences, isDraining, logger })
    if (registrations && embedded.length > 0) tasks.start(registrations.task)
    const { signal } = draining
    const parts = { logger, calls, capacity, draining: signal, stopping: stopping.signal }
    for (const env of environments) void followRooms(settings, env, parts, () => heartbeats.send())
    return new Worker({ logger, sip, registrations, calls, heartbeats, tasks, unsent, draining, stopping })
  }

  /** A gateway gives up a worker that it heard nothing from for as long. */
  get whyNotReady(): string | undefined {
    const { draining, heartbeats } = this.#parts
    if (draining.signal.aborted) return 'this worker takes no more calls'
    if (heartbeats.silentForMs < lostAfterMs) return undefined
    return `the gateway has taken no heartbeat for ${lostAfterMs / 1000} seconds`
  }

  /** Accepts no more calls, and resolves when the running ones have ended. */
  async drain(): Promise<void> {
    const { logger, calls, heartbeats, draining, stopping, registrations, unsent } = this.#parts
    draining.abort()
    await Promise.all([heartbeats.send(), registrations?.report()])
    logger.info({ calls: calls.count }, 'draining')
    await calls.untilNone()
    // a machine that is taken away takes with it what is not sent by then
    await unsent.sendAll(stopping.signal).catch((error: unknown) => logger.warn({ err: error }))
  }

  /** Ends the running calls within the grace. */
  async stop(graceMs: number): Promise<void> {
    const { sip, registrations, calls, tasks, draining, stopping } = this.#parts
    draining.abort()
    calls.endAll()
    const timeout = new Promise((resolve) => setTimeout(resolve, graceMs).unref())
    await Promise.race([Promise.all([calls.untilNone(), registrations?.stop()]), timeout])
    stopping.abort()
    void tasks.stopAll() // a heartbeat under way may be cut off
    await Promise.race([sip?.stop(), timeout])
    calls.processes.stop()
  }
}

/** Registers for the calls of an environment that has a media server. */
async function followRooms(
  { mediaServers, fleets }: Settings,
  env: Environment,
  parts: Omit<LiveKitCallsParts, 'env' | 'address' | 'fleet' | 'tellLoad'>,
  sendHeartbeats: () => Promise<Environment[]>,
): Promise<void> {
  const address = mediaServers[env]
  if (!address) return
  const { LiveKitCalls } = await import('./livekit/livekit-calls.ts') // most workers never need its library
  const tellLoad = async () => (await sendHeartbeats()).includes(env)
  await new LiveKitCalls({ ...parts, env, address, fleet: fleets[env], tellLoad }).register()
}

/** If only phones of this machine call, any free port does: the launcher prints it. */
async function startSip(
  settings: Settings,
  hasPhones: boolean,
  options: Omit<SipOptions, 'port'>,
): Promise<SipServer | undefined> {
  if (!hasPhones) return undefined
  const { sipPort, localOrg } = settings
  const tls = await openTls(settings, options.log)
  try {
    return await SipServer.start({ ...options, ...tls, port: sipPort ?? usualPort }).catch(
      (error: unknown) => {
        const isFree = sipPort === undefined && localOrg !== undefined && isTaken(error)
        if (!isFree || isTlsPort(error, settings)) throw error
        return SipServer.start({ ...options, ...tls, port: 0 })
      },
    )
  } catch (error) {
    throw new Error(whyNoPhones(error, settings), { cause: error })
  }
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? causeOf(error)
const causeOf = (error: unknown) => ((error as Error).cause as NodeJS.ErrnoException | undefined)?.code
const isTaken = (error: unknown) => codeOf(error) === 'EADDRINUSE'

const isTlsPort = (error: unknown, { sipTls }: Settings) =>
  sipTls !== undefined && (error as { port?: number }).port === sipTls.port

async function openTls({ sipTls }: Settings, log: SipOptions['log']): Promise<Pick<SipOptions, 'tls'>> {
  if (!sipTls) return {}
  const certificate = await ServerCertificate.read(sipTls.files, log ?? (() => {})).catch((error: Error) => {
    throw new Error(
      `calls over TLS cannot be taken: ${error.message}: set SVC_SIP_TLS_CERT_FILE and SVC_SIP_TLS_KEY_FILE to a certificate and its key`,
      { cause: error },
    )
  })
  return { tls: { port: sipTls.port, certificate } }
}

function whyNoPhones(error: unknown, settings: Settings): string {
  const { sipHost, sipPort = usualPort, sipTls } = settings
  const code = codeOf(error)
  const isTls = isTlsPort(error, settings)
  const at = {
    host: sipHost,
    port: isTls ? (sipTls?.port ?? 0) : sipPort,
    setting: isTls ? 'SVC_SIP_TLS_PORT' : 'SVC_SIP_PORT',
    hostSetting: 'SVC_SIP_HOST',
  }
  if (code && ['EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL'].includes(code)) return listenFailure(at, { code })
  return error instanceof Error ? error.message : String(error)
}
