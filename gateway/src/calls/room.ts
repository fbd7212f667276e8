import type { AgentsRoom } from '../agents/room.ts'
import type { Ground } from '../database/room.ts'
import type { PeopleRoom } from '../people/room.ts'
import type { ProvidersRoom } from '../providers/room.ts'
import { AppFrames } from './driving/app-frames.ts'
import { Appending } from './worker/appending.ts'
import { AskedTurns } from './written/asked-turns.ts'
import { Asking } from './worker/asking.ts'
import { CallHeads } from './heads/heads.ts'
import { CallModels } from './written/call-models.ts'
import { CallStates } from './sessions/call-states.ts'
import { Callbacks } from './callbacks/callbacks.ts'
import { Chats } from './written/chats.ts'
import { ConnectionCaps } from './connection-caps/connection-caps.ts'
import { Drifts } from './insights/drift.ts'
import { Driving } from './driving/driving.ts'
import { Erasure, type ForgetBeside } from './erasure/erasure.ts'
import { HoldingEntries } from './driving/holding-entries.ts'
import { Lines } from './lines/lines.ts'
import { Log } from './log/log.ts'
import { LogReading } from './log/reading.ts'
import { LostWorkers, type LostWorkersParts } from './worker/lost-workers.ts'
import { Memories } from './written/memories.ts'
import { OldLogs } from './erasure/old-logs.ts'
import { Opening, type OpeningParts } from './worker/opening.ts'
import type { OpenOutlet } from './written/outlets.ts'
import type { Scope } from '../agents/scope.ts'
import type { RecordOptOut } from './contacts/opting-out.ts'
import { Post } from './post/post.ts'
import { Pricing } from './metering/pricing.ts'
import { Recordings } from './recordings/recordings.ts'
import { Relay } from './log/relay.ts'
import { Routing } from './lines/routing.ts'
import { Sessions } from './sessions/sessions.ts'
import { SpokenCallTasks } from './worker/spoken-calls.tasks.ts'
import { Supervising } from './supervising/supervising.ts'
import { Tails } from './log/tails.ts'
import { Tools } from './driving/tools.ts'
import { WorkerAnswers } from './worker/worker.ts'
import { WrittenCalls } from './written/written-calls.ts'

export type CallsRoom = ReturnType<typeof makeCalls>

/** Calls: their logs, who runs them, and what is asked of them. */
export function makeCalls(
  parts: Ground & PeopleRoom & ProvidersRoom & AgentsRoom,
  numbers: Pick<OpeningParts, 'routeOf' | 'reached'>,
  recordOptOut: RecordOptOut,
  messaging: { openOutlet: OpenOutlet; forget: ForgetBeside },
  media: Pick<LostWorkersParts, 'hangUp'> & { isFull: (scope: Scope) => Promise<boolean> },
) {
  const {
    settings,
    clock,
    logger,
    database,
    signals,
    orgs,
    vendors,
    providerKeys,
    rates,
    lending,
    accounts,
    stageKeys,
    vendorWindow,
    agents,
    runningGateways,
    holders,
    appSockets,
    settingsVersions,
  } = parts

  const tails = new Tails(database, signals, runningGateways.id, logger)
  const log = new Log({
    database,
    clock,
    logger,
    tails,
    gateway: runningGateways.id,
    charge: (tx, org, credits) => accounts.charge(org, credits, tx),
  })
  const post = new Post({ database, clock, logger, signals, gateway: runningGateways.id })
  const driving = new Driving({
    database,
    clock,
    logger,
    gateways: runningGateways,
    sockets: appSockets,
    log,
    tails,
    post,
  })
  const holdingEntries = new HoldingEntries(database, log, logger)
  runningGateways.onLost = (holdings) => holdingEntries.lost(holdings)
  const tools = new Tools({ database, logger, log, tails, driving, timeoutMs: settings.toolTimeoutMs })
  const appFrames = new AppFrames({ database, log, driving, tools, recordOptOut })
  const logReading = new LogReading(database, tails, logger)
  const relay = new Relay(tails)
  const callHeads = new CallHeads({ database, clock, orgs, agents, gateways: runningGateways, log })
  const workerAnswers = new WorkerAnswers({
    heads: callHeads,
    vendors,
    stageKeys,
    lending,
    providerKeys,
    vendorWindow,
  })
  const lines = new Lines({
    database,
    gateways: runningGateways,
    log,
    routeOf: numbers.routeOf,
    drives: driving.drives,
  })
  const routing = new Routing({
    database,
    logger,
    gateways: runningGateways,
    agents,
    holders,
    heads: callHeads,
    log,
    drives: driving.drives,
    canSpeak: (org, scope) => workerAnswers.canSpeak(org, scope),
    isFull: media.isFull,
  })
  const pricing = new Pricing(rates)
  const memories = new Memories({ database, clock, log, gateway: runningGateways.id })
  const appending = new Appending({ database, clock, log, pricing, vendorWindow, recordOptOut, memories })
  const asking = new Asking({ database, log, appending, driving, tools, lines, memories })
  const opening = new Opening({
    database,
    clock,
    log,
    heads: callHeads,
    holders,
    lines,
    ...numbers,
  })
  const lostWorkers = new LostWorkers({ database, clock, logger, log, hangUp: media.hangUp })
  const spokenCallTasks = new SpokenCallTasks([lostWorkers, routing], logger)
  const callModels = new CallModels({ vendors, stageKeys, lending, providerKeys })
  const askedTurns = new AskedTurns(database, clock, orgs)
  const writtenCalls = new WrittenCalls({
    database,
    clock,
    logger,
    signals,
    log,
    tails,
    heads: callHeads,
    models: callModels,
    driving,
    tools,
    memories,
    askedTurns,
    pricing,
    gateways: runningGateways,
    idleMs: settings.chatIdleMs,
    openOutlet: messaging.openOutlet,
  })
  const connectionCaps = new ConnectionCaps({ database, clock, logger, gateways: runningGateways })
  const chats = new Chats({
    database,
    caps: connectionCaps,
    heads: callHeads,
    models: callModels,
    accounts,
    log,
    calls: writtenCalls,
    logger,
    gateway: runningGateways.id,
  })
  const drifts = new Drifts(database, settingsVersions)
  const supervising = new Supervising(database, log)
  const sessions = new Sessions(database)
  const callStates = new CallStates(database, log)
  const callbacks = new Callbacks(database)
  const recordings = new Recordings({
    database,
    clock,
    log,
    calls: appending,
    folder: settings.recordingsFolder,
  })
  const erasure = new Erasure(database, log, messaging.forget, recordings)
  const oldLogs = new OldLogs(database, clock, settings.logKeptMs, recordings)

  return {
    tails,
    log,
    post,
    driving,
    holdingEntries,
    tools,
    appFrames,
    logReading,
    relay,
    callHeads,
    workerAnswers,
    lines,
    routing,
    appending,
    asking,
    opening,
    lostWorkers,
    spokenCallTasks,
    askedTurns,
    writtenCalls,
    connectionCaps,
    chats,
    drifts,
    supervising,
    sessions,
    callStates,
    callbacks,
    recordings,
    erasure,
    oldLogs,
  }
}
