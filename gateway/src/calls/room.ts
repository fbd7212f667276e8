import type { PeriodicTask } from '@switchroom/process/periodic-tasks'
import type { AgentsRoom } from '../agents/room.ts'
import { secondMs } from '../foundation/clock.ts'
import type { Infrastructure } from '../database/room.ts'
import type { HttpRoom } from '../http/room.ts'
import type { KnowledgeRoom } from '../knowledge/room.ts'
import { WholeBases } from '../knowledge/whole/whole-bases.ts'
import type { PeopleRoom } from '../people/room.ts'
import type { ProvidersRoom } from '../providers/room.ts'
import { AppFrames } from './app-requests/app-frames.ts'
import { EntryAppender } from './spoken/entry-appender.ts'
import { SpokenMinutes } from './minutes/spoken-minutes.ts'
import { MessageQuota } from './written/message-quota.ts'
import { WorkerRequests } from './spoken/worker-requests.ts'
import { CallBases } from './knowledge/call-bases.ts'
import { CallRecords } from './records/records.ts'
import { CallModels } from './written/call-models.ts'
import { CallSummaries } from './sessions/call-summaries.ts'
import { Callbacks } from './callbacks/callbacks.ts'
import { Chats } from './written/chats.ts'
import { ConnectionCaps } from './connection-caps/connection-caps.ts'
import { Drifts } from './insights/drift.ts'
import { Overviews } from './insights/overview.ts'
import { CallTotals } from './insights/totals.ts'
import { AppRequests } from './app-requests/app-requests.ts'
import { Erasure, type ForgetBeside } from './erasure/erasure.ts'
import { ConnectionEntries } from './app-requests/connection-entries.ts'
import { HolderNotices } from './app-requests/holder-notices.ts'
import { Lines } from './lines/lines.ts'
import { Log } from './log/log.ts'
import { EventLogs } from './log/events.ts'
import { LostWorkers, type LostWorkersParts } from './spoken/lost-workers.ts'
import { Memories } from './memory/memories.ts'
import { fillMentions } from './erasure/mentions.ts'
import { OldCalls, type ForgetThreads } from './erasure/old-calls.ts'
import { OldLogs, type ForgetWords } from './erasure/old-logs.ts'
import { SpokenCallOpener, type SpokenCallOpenerParts } from './spoken/spoken-call-opener.ts'
import type { OpenOutlet } from './written/outlets.ts'
import type { SettingsScope } from '../agents/scope.ts'
import type { RecordOptOut } from './contacts/opt-out.ts'
import { GatewayMailbox } from './between-gateways/gateway-mailbox.ts'
import { EntryMeter } from './metering/entry-metrics.ts'
import { EntryPartitions } from './partitions/entry-partitions.ts'
import { Pricing } from './metering/pricing.ts'
import { RecordingMoves } from './recordings/recording-moves.ts'
import { Recordings } from './recordings/recordings.ts'
import { Relay } from './log/relay.ts'
import { Routing } from './lines/routing.ts'
import { Backfill, CallBackfill } from './backfills/backfill.ts'
import { callIndexes } from './backfills/call-indexes.ts'
import { IndexChanges } from '../database/index-changes.ts'
import { CallSearch } from './sessions/call-search.ts'
import { fillWords, Sessions } from './sessions/sessions.ts'
import { Supervising } from './supervising/supervising.ts'
import { LiveLogs } from './log/live-logs.ts'
import { TestCalls } from './written/test-calls.ts'
import { Tools } from './app-requests/tools.ts'
import { WorkerAnswers } from './spoken/worker.ts'
import { WrittenCalls } from './written/written-calls.ts'

export type CallsRoom = ReturnType<typeof makeCalls>

/** Calls: their records, logs and runners, and the rules that act on them. */
export function makeCalls(
  parts: Infrastructure & HttpRoom & PeopleRoom & ProvidersRoom & AgentsRoom & KnowledgeRoom,
  numbers: Pick<SpokenCallOpenerParts, 'routeOf' | 'reached' | 'isTrunkTest'>,
  recordOptOut: RecordOptOut,
  messaging: {
    openOutlet: OpenOutlet
    forget: ForgetBeside
    forgetWords: ForgetWords
    forgetThreads: ForgetThreads
  },
  media: Pick<LostWorkersParts, 'hangUp'> & { isFull: (scope: SettingsScope) => Promise<boolean> },
) {
  const {
    settings,
    clock,
    logger,
    meters,
    database,
    dueChecks,
    directConnection,
    writingDatabase,
    slowDatabase,
    lives,
    blobStores,
    blobLedger,
    slowRequests,
    signals,
    orgs,
    vendors,
    ownKeys,
    rates,
    lentKeys,
    accounts,
    stageKeys,
    vendorWindow,
    agents,
    runningGateways,
    connectedApps,
    appSockets,
    settingsVersions,
    knowledgeSearch,
  } = parts

  const liveLogs = new LiveLogs(database, signals, runningGateways.id, logger)
  const entryMeter = new EntryMeter(meters)
  const log = new Log({
    database: writingDatabase,
    clock,
    logger,
    liveLogs,
    signals,
    gateway: runningGateways.id,
    charge: (tx, charges) => accounts.chargeAll(tx, charges),
    meter: entryMeter,
  })
  const mailbox = new GatewayMailbox({
    database,
    clock,
    logger,
    signals,
    dueChecks,
    gateway: runningGateways.id,
  })
  const appRequests = new AppRequests({
    database,
    clock,
    logger,
    gateways: runningGateways,
    sockets: appSockets,
    log,
    liveLogs,
    mailbox,
  })
  const connectionEntries = new ConnectionEntries(database, log, logger)
  const holderNotices = new HolderNotices({ connectedApps, appRequests, logger })
  runningGateways.onLost = (holdings) => {
    connectionEntries.lost(holdings)
    appRequests.assignments.holdingsLost(holdings)
    holderNotices.changed(holdings)
  }
  const tools = new Tools({
    database,
    logger,
    log,
    liveLogs,
    appRequests,
    meters,
    timeoutMs: settings.toolTimeoutMs,
  })
  const appFrames = new AppFrames({ database, log, appRequests, tools, recordOptOut })
  const eventLogs = new EventLogs(database, liveLogs, logger)
  const relay = new Relay(liveLogs)
  const spokenMinutes = new SpokenMinutes(database, clock)
  const callRecords = new CallRecords({
    database,
    clock,
    orgs,
    agents,
    gateways: runningGateways,
    log,
    spokenMinutes,
  })
  const callBases = new CallBases({
    records: callRecords,
    log,
    wholeBases: new WholeBases(database),
    search: knowledgeSearch,
  })
  const workerAnswers = new WorkerAnswers({
    records: callRecords,
    vendors,
    stageKeys,
    lentKeys,
    ownKeys,
    vendorWindow,
  })
  const lines = new Lines({
    database,
    gateways: runningGateways,
    log,
    routeOf: numbers.routeOf,
    assignments: appRequests.assignments,
  })
  const routing = new Routing({
    database,
    logger,
    gateways: runningGateways,
    agents,
    connectedApps,
    records: callRecords,
    log,
    assignments: appRequests.assignments,
    missingKeys: (org, scope) => workerAnswers.missingKeys(org, scope),
    isFull: media.isFull,
  })
  const pricing = new Pricing(rates)
  const memories = new Memories({ database, clock, log, gateway: runningGateways.id })
  const entryAppender = new EntryAppender({
    database,
    clock,
    log,
    pricing,
    vendorWindow,
    meter: entryMeter,
    recordOptOut,
    memories,
  })
  const workerRequests = new WorkerRequests({
    database,
    log,
    entryAppender,
    appRequests,
    tools,
    lines,
    memories,
    callBases,
  })
  const spokenCallOpener = new SpokenCallOpener({
    database,
    clock,
    log,
    records: callRecords,
    connectedApps,
    orgs,
    workerAnswers,
    lines,
    ...numbers,
  })
  const lostWorkers = new LostWorkers({ database, clock, logger, log, hangUp: media.hangUp })
  const spokenCallTasks: PeriodicTask[] = [
    {
      name: 'end calls of lost workers',
      everyMs: 2 * secondMs,
      run: () => dueChecks.runIfAny(lostWorkers.due, () => lostWorkers.poll()),
    },
    {
      name: 'end unanswered routings',
      everyMs: 2 * secondMs,
      run: async () =>
        (await dueChecks.runIfAny(routing.due, () => routing.poll())) || routing.noneAbandoned(),
    },
  ]
  const callModels = new CallModels({ vendors, stageKeys, lentKeys, ownKeys })
  const messageQuota = new MessageQuota(database, clock, orgs)
  const writtenCalls = new WrittenCalls({
    database: writingDatabase,
    clock,
    logger,
    dueChecks,
    directConnection,
    signals,
    log,
    liveLogs,
    vendors,
    records: callRecords,
    models: callModels,
    appRequests,
    tools,
    memories,
    callBases,
    messageQuota,
    pricing,
    gateways: runningGateways,
    idleMs: settings.chatIdleMs,
    openOutlet: messaging.openOutlet,
  })
  meters.gauge('switchroom_calls_live', () => writtenCalls.countLive())
  const connectionCaps = new ConnectionCaps({ database, clock, logger, gateways: runningGateways })
  const chats = new Chats({
    database,
    caps: connectionCaps,
    records: callRecords,
    models: callModels,
    accounts,
    log,
    calls: writtenCalls,
    logger,
    gateway: runningGateways.id,
  })
  const testCalls = new TestCalls({
    database,
    records: callRecords,
    models: callModels,
    accounts,
    log,
    liveLogs,
    calls: writtenCalls,
    chats,
    gateway: runningGateways.id,
  })
  const drifts = new Drifts(slowDatabase, settingsVersions, slowRequests)
  const overviews = new Overviews(slowDatabase, clock)
  const callTotals = new CallTotals(slowDatabase, clock, dueChecks)
  const totalsBackfill = new CallBackfill(slowDatabase, clock, 'call_totals', callTotals.fill)
  const supervising = new Supervising(database, log)
  const wordBackfill = new CallBackfill(slowDatabase, clock, 'turn_words', fillWords)
  const search = new CallSearch(slowDatabase, () => wordBackfill.isDone())
  const sessions = new Sessions(database, search, slowRequests)
  const indexChanges = new IndexChanges(
    parts.pools.sessions,
    callIndexes(() => wordBackfill.isDone()),
  )
  const entryPartitions = new EntryPartitions({ database: parts.pools.sessions, clock, logger })
  const callSummaries = new CallSummaries(database, log)
  const callbacks = new Callbacks(database)
  const recordings = new Recordings({
    database,
    clock,
    log,
    logger,
    calls: entryAppender,
    stores: blobStores,
    ledger: blobLedger,
  })
  const recordingMoves = new RecordingMoves({
    database: slowDatabase,
    logger,
    stores: blobStores,
    ledger: blobLedger,
  })
  const mentionBackfill = new Backfill(slowDatabase, clock, 'log_mentions', fillMentions)
  const erasure = new Erasure({
    database: slowDatabase,
    slowRequests,
    log,
    areMentionsKnown: () => mentionBackfill.isDone(),
    forgetBeside: messaging.forget,
    recordings,
  })
  const { forgetWords, forgetThreads } = messaging
  const oldLogs = new OldLogs({ database: slowDatabase, clock, lives, recordings, forgetWords })
  const oldCalls = new OldCalls({ database: slowDatabase, clock, lives, forgetThreads })

  return {
    liveLogs,
    log,
    mailbox,
    appRequests,
    connectionEntries,
    holderNotices,
    tools,
    appFrames,
    eventLogs,
    relay,
    callRecords,
    callBases,
    workerAnswers,
    lines,
    routing,
    entryAppender,
    workerRequests,
    spokenCallOpener,
    lostWorkers,
    spokenCallTasks,
    messageQuota,
    spokenMinutes,
    writtenCalls,
    connectionCaps,
    chats,
    testCalls,
    drifts,
    overviews,
    callTotals,
    supervising,
    sessions,
    backfillTasks: [
      wordBackfill.task,
      mentionBackfill.task,
      totalsBackfill.task,
      indexChanges.task,
      entryPartitions.task,
    ],
    entryPartitions,
    callSummaries,
    callbacks,
    recordings,
    recordingTasks: [recordingMoves.task],
    erasure,
    oldLogs,
    oldCalls,
  }
}
