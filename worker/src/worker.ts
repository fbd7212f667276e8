import type { Environment } from '@switchroom/contract/scopes'
import { findVendors } from '@switchroom/kit/installed'
import { MediaError } from '@switchroom/media/plane'
import { SipServer, type SipOptions } from '@switchroom/media/sip/server'
import type { Logger } from 'pino'
import { Beats } from './heartbeats.ts'
import { DialledAddresses } from './phone/dialled-addresses.ts'
import { Fences } from './phone/fences.ts'
import { GatewayClient } from './gateway-client.ts'
import { Inbound } from './phone/inbound.ts'
import type { LiveKitCallsParts } from './livekit/livekit-calls.ts'
import { tellLostCaller } from './processes/lost-calls.ts'
import { MediaPorts } from './phone/media-ports.ts'
import { Outbound } from './phone/outbound.ts'
import { takePlacements } from './phone/placements.ts'
import { RunningCalls, type Dial } from './processes/running-calls.ts'
import { Sentences } from './sentences.ts'
import { workerName, type Settings } from './settings.ts'

const usualPort = 5060

/** Takes calls: answers those that come, dials those it is asked to, and has each run in a process of few. */
export class Worker {
  readonly #logger: Logger
  readonly #sip: SipServer | undefined
  readonly #calls: RunningCalls
  readonly #beats: Beats
  /** Nothing new is taken from then on. */
  readonly #draining: AbortController
  readonly #stopping: AbortController

  private constructor(
    logger: Logger,
    sip: SipServer | undefined,
    calls: RunningCalls,
    beats: Beats,
    draining: AbortController,
    stopping: AbortController,
  ) {
    this.#logger = logger
    this.#sip = sip
    this.#calls = calls
    this.#beats = beats
    this.#draining = draining
    this.#stopping = stopping
  }

  /** None where every call comes from a media server. */
  get sipPort(): number | undefined {
    return this.#sip?.port
  }

  /** Resolves once phones are listened to; whom to let in, the gateway says as soon as it answers. */
  static async start(settings: Settings, logger: Logger): Promise<Worker> {
    const { environments, capacity, callsPerProcess, localOrg, mediaServers } = settings
    const embedded = environments.filter((env) => !mediaServers[env])
    const gateway = new GatewayClient(settings, workerName())
    const [draining, stopping] = [new AbortController(), new AbortController()]
    const [fences, ports, sentences] = [
      new Fences(),
      new MediaPorts(settings.mediaPorts),
      new Sentences(logger),
    ]
    const addresses = new DialledAddresses(settings.privateHosts)
    const dial: Dial = async (to, trunk, from, signal) => {
      await addresses.expect(trunk.hostname)
      if (!sip) throw new MediaError('this worker has no phones of its own')
      return sip.invite(to, trunk, from, signal)
    }
    const calls: RunningCalls = new RunningCalls({
      worker: gateway.worker,
      capacity,
      callsPerProcess,
      logger,
      dial,
      onLost: (lost) => tellLostCaller(sentences, lost),
      clipOf: ({ occasion, language, callsBack }) => sentences.clipOf(occasion, language, callsBack),
    })
    const isDraining = () => draining.signal.aborted
    const inbound = new Inbound({ gateway, logger, calls, sentences, localOrg, isDraining })
    const outbound = new Outbound({ gateway, logger, calls, dial })
    const hasPhones = embedded.length > 0 || localOrg !== undefined
    const sip: SipServer | undefined = await listening(settings, hasPhones, {
      host: settings.sipHost,
      publicAddress: settings.mediaAddress,
      fences: () => fences.all,
      isLocalAllowed: localOrg !== undefined,
      allocatePort: ports.allocate,
      releasePort: ports.release,
      onInvite: (invite) => void inbound.take(invite),
      mayDial: addresses.mayDial,
      log: (sentence) => logger.info(sentence),
    })
    for (const env of embedded) {
      void fences.follow(gateway, env, logger, stopping.signal)
      const place = outbound.place.bind(outbound)
      const answer = calls.runBrowser.bind(calls)
      void takePlacements({ gateway, logger, calls, dial: place, answer }, env, draining.signal)
    }
    const load = () => ({ calls: calls.count, capacity, draining: isDraining() })
    const beats = new Beats(gateway, environments, load, logger)
    const { signal } = draining
    const telling = { logger, calls, capacity, draining: signal, stopping: stopping.signal }
    for (const env of environments) void followRooms(settings, env, telling, () => beats.tell())
    calls.processes.keepOneReady()
    void sentences.make(findVendors(settings.vendorFolders))
    return new Worker(logger, sip, calls, beats, draining, stopping)
  }

  /** Takes no more calls, and resolves when those that run are over. */
  async drain(): Promise<void> {
    this.#draining.abort()
    await this.#beats.tell()
    this.#logger.info({ calls: this.#calls.count }, 'draining')
    await this.#calls.untilNone()
  }

  /** Ends the calls that run, for which there is so much time. */
  async stop(withinMs: number): Promise<void> {
    this.#draining.abort()
    this.#calls.endAll()
    const late = new Promise((resolve) => setTimeout(resolve, withinMs).unref())
    await Promise.race([this.#calls.untilNone(), late])
    this.#stopping.abort()
    this.#beats.stop()
    await Promise.race([this.#sip?.stop(), late])
    this.#calls.processes.stop()
  }
}

/** Takes the calls of an environment whose sound a media server carries; without one there is nothing to follow. */
async function followRooms(
  { mediaServers, fleets }: Settings,
  env: Environment,
  parts: Omit<LiveKitCallsParts, 'env' | 'address' | 'fleet' | 'tellLoad'>,
  tell: () => Promise<Environment[]>,
): Promise<void> {
  const address = mediaServers[env]
  if (!address) return
  const { LiveKitCalls } = await import('./livekit/livekit-calls.ts') // most workers never need its library
  const tellLoad = async () => (await tell()).includes(env)
  await new LiveKitCalls({ ...parts, env, address, fleet: fleets[env], tellLoad }).register()
}

/** Phones of this machine find the worker wherever it listens, for somebody is told; carriers would not. */
async function listening(
  settings: Settings,
  hasPhones: boolean,
  options: Omit<SipOptions, 'port'>,
): Promise<SipServer | undefined> {
  if (!hasPhones) return undefined
  const { sipPort, localOrg } = settings
  try {
    return await SipServer.start({ ...options, port: sipPort ?? usualPort }).catch((error: unknown) => {
      const isFree = sipPort === undefined && localOrg !== undefined && isTaken(error)
      if (!isFree) throw error
      return SipServer.start({ ...options, port: 0 })
    })
  } catch (error) {
    throw new Error(whyNoPhones(error, settings), { cause: error })
  }
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? causeOf(error)
const causeOf = (error: unknown) => ((error as Error).cause as NodeJS.ErrnoException | undefined)?.code
const isTaken = (error: unknown) => codeOf(error) === 'EADDRINUSE'

function whyNoPhones(error: unknown, { sipHost, sipPort = usualPort }: Settings): string {
  const code = codeOf(error)
  if (code === 'EADDRINUSE')
    return `port ${sipPort} on ${sipHost} is taken: stop what listens there, or set SVC_SIP_PORT`
  if (code === 'EACCES')
    return `port ${sipPort} may not be opened by this user: set SVC_SIP_PORT to 1024 or above`
  if (code === 'EADDRNOTAVAIL')
    return `nothing can listen on ${sipHost}: set SVC_SIP_HOST to an address of this machine`
  return error instanceof Error ? error.message : String(error)
}
