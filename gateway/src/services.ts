import type { Logger } from 'pino'
import { AuditLog } from './audit/audit.ts'
import { agentsHeld } from './agents/agents.ts'
import { makeAgents } from './agents/room.ts'
import { scopeOf } from './agents/scope.ts'
import { callsRunning } from './calls/records/records.ts'
import { makeCalls, type CallsRoom } from './calls/room.ts'
import { minutesSpoken } from './calls/minutes/spoken-minutes.ts'
import { messagesUsed } from './calls/written/message-quota.ts'
import { IndexChanges } from './database/index-changes.ts'
import { makeInfrastructure } from './database/room.ts'
import { makeEvals } from './evals/room.ts'
import type { Clock } from './foundation/clock.ts'
import type { Settings } from './foundation/settings.ts'
import { Fleet } from './http/fleet.ts'
import type { AgentOfCall } from './http/narrowing.ts'
import { makeHttp } from './http/room.ts'
import { makeKnowledge } from './knowledge/room.ts'
import { makeMail } from './mail/room.ts'
import { seatsHeld } from './people/members/members.ts'
import { forgetSends } from './messaging/outlets/old-sends.ts'
import { makeMessaging, type MessagingRoom } from './messaging/room.ts'
import { forgetThreads } from './messaging/threads/old-threads.ts'
import { makePeople, type PeopleRoom } from './people/room.ts'
import { Brands } from './platform/brand/brand.ts'
import { DiscoveryDocument } from './platform/discovery/discovery.ts'
import { Housekeeping } from './platform/housekeeping/housekeeping.tasks.ts'
import { OrgAdministration } from './platform/orgs/orgs.ts'
import { observeQueues } from './platform/queues/queue-metrics.ts'
import { indexesOfRetention } from './platform/retention/retention-indexes.ts'
import { Retention } from './platform/retention/retention.ts'
import { VaultKeyRotation } from './platform/vault/vault.ts'
import { accountOfNewborn } from './providers/accounts/accounts.ts'
import { makeProviders } from './providers/room.ts'
import { numbersHeld } from './telephony/number-changes/number-purchase.ts'
import { makeTelephony, type TelephonyRoom } from './telephony/room.ts'
import { makeWebhooks } from './webhooks/room.ts'

export type Services = ReturnType<typeof makeServices>

/** Everything the gateway is made of, room by room; a room that needs a later one gets a function. */
export function makeServices(settings: Settings, clock: Clock, logger: Logger) {
  const ground = makeInfrastructure(settings, clock, logger)
  const { database, slowDatabase } = ground
  const http = makeHttp(ground)
  const auditLog = new AuditLog(database, clock, settings.auditKeptMs)
  const brands = new Brands(database)
  const mail = makeMail(
    { ...ground, ...http },
    {
      brand: () => brands.read(),
      lockHoldingAll: (tx, caller, why) => people.members.lockHoldingAll(tx, caller, why),
    },
  )
  const people: PeopleRoom = makePeople(
    { ...ground, ...http, ...mail },
    {
      seats: seatsHeld(database),
      agents: agentsHeld(database),
      concurrent_calls: callsRunning(database),
      messages: messagesUsed(database, clock),
      minutes: minutesSpoken(database, clock),
      numbers: numbersHeld(database),
    },
    accountOfNewborn({ plan: settings.newOrgPlan, credits: settings.newOrgCredits }),
  )
  const providers = makeProviders({ ...ground, ...http, ...people })
  const agents = makeAgents(
    { ...ground, ...http, ...people, ...providers },
    {
      takeCallFrame: (from, frame) => calls.appFrames.take(from, frame),
      takeAck: (socket, acked) => calls.appRequests.assignments.ack(socket, acked),
      takeLineFrame: (from, frame) =>
        frame['type'] === 'line.register'
          ? calls.lines.register(from, frame)
          : calls.routing.route(from, frame),
      warningsOf: (caller, agent) => calls.workerAnswers.warnings(caller, scopeOf(caller, agent)),
      onHeld: (holding) => {
        calls.connectionEntries.appConnected(holding)
        calls.appRequests.assignments.appConnected(holding)
        calls.holderNotices.changed([{ ...holding.socket, agent: holding.agent }])
        messaging.waitingMessages.held(holding)
      },
      onReleased: (holdings) => {
        calls.connectionEntries.appsDisconnected(holdings)
        calls.appRequests.assignments.appsDisconnected(holdings)
        calls.holderNotices.changed(holdings.map(({ socket, agent }) => ({ ...socket, agent })))
      },
      onGone: (sockets) => calls.appRequests.assignments.socketsClosed(sockets),
    },
  )
  const knowledge = makeKnowledge({ ...ground, ...http, ...agents })
  const calls: CallsRoom = makeCalls(
    { ...ground, ...http, ...people, ...providers, ...agents, ...knowledge },
    {
      routeOf: (number) => telephony.numbers.find(number),
      reached: (number) => telephony.numbers.reached(number),
      isTrunkTest: (number, from) => telephony.trunkTestOffers.isCalled(number, from),
    },
    (tx, optOut) => telephony.consents.callerOptedOut(tx, optOut),
    {
      openOutlet: ({ id, channel }) => (channel === 'msgapp' ? messaging.callOutlets.open(id) : undefined),
      forget: (tx, reach, contact) => messaging.conversations.forget(tx, reach, contact),
      forgetWords: forgetSends,
      forgetThreads,
    },
    {
      hangUp: ({ id, env }) => telephony.planes.of(env).hangUp(id),
      isFull: (scope) => telephony.workers.areOverfull(scope),
    },
  )
  const telephony: TelephonyRoom = makeTelephony(
    { ...ground, ...http, ...people, ...agents, ...calls },
    (phoneNumberId, accessToken) => messaging.messagingPlatform.numberOf(phoneNumberId, accessToken),
  )
  const messaging: MessagingRoom = makeMessaging({
    ...ground,
    ...people,
    ...providers,
    ...agents,
    ...calls,
    ...telephony,
  })
  const webhooks = makeWebhooks({ ...ground, ...http, ...mail, ...people, ...agents, ...calls })
  const evals = makeEvals({ ...ground, ...people, ...agents, ...calls })
  const agentOfCall: AgentOfCall = (caller, call) => calls.callRecords.agentOf(caller, call)
  const fleet = new Fleet(settings.fleetKey, {
    org: (idOrSlug) => people.orgs.lookUp(idOrSlug),
    orgOfCall: (call) => calls.callRecords.orgOf(call),
  })

  const discovery = new DiscoveryDocument(
    settings,
    () => mail.mailboxes.canPlatformSend(),
    () => brands.read(),
  )
  const orgAdministration = new OrgAdministration(people.orgs, people.members, people.keys)
  const retention = new Retention({
    database: slowDatabase,
    clock,
    logger,
    deletions: {
      entries: (signal) => calls.oldLogs.forget(signal),
      calls: (signal) => calls.oldCalls.forget(signal),
      dials: (signal) => telephony.oldDials.forget(signal),
      keys: (signal) => people.revokedKeys.forget(signal),
      claims: (signal) => messaging.messageClaims.forget(signal, slowDatabase),
      audit: (signal) => auditLog.deleteExpired(signal, slowDatabase),
    },
  })
  const vaultRotation = new VaultKeyRotation({
    database,
    vault: ground.vault,
    gateways: agents.runningGateways,
    logger,
  })
  const housekeeping = new Housekeeping(
    [
      http.rateCounts,
      http.authentication.logTokens,
      http.authentication.chatTokens,
      people.invitations,
      people.loginCodes,
      people.pairings,
      people.begunSignIns,
      people.signUps,
      providers.grants,
      agents.appSockets,
      agents.runningGateways,
      calls.mailbox,
      calls.appRequests.assignments,
      calls.messageQuota,
      calls.spokenMinutes,
      calls.connectionCaps,
      telephony.ownPhones,
      telephony.placements,
      telephony.placementOffers,
      telephony.trunkTestOffers,
      telephony.browserCalls,
      telephony.workers,
      telephony.carrierAccounts,
      messaging.waitingMessages,
      webhooks.webhookDeliveries,
      evals.runs,
    ],
    slowDatabase,
    logger,
  )
  observeQueues(ground.meters, slowDatabase, clock)
  const retentionIndexes = new IndexChanges(slowDatabase, indexesOfRetention)

  return {
    ...ground,
    ...http,
    ...mail,
    ...people,
    ...providers,
    ...agents,
    ...knowledge,
    ...calls,
    ...telephony,
    ...messaging,
    ...webhooks,
    ...evals,
    agentOfCall,
    auditLog,
    fleet,
    brands,
    discovery,
    orgAdministration,
    retention,
    retentionIndexes,
    vaultRotation,
    housekeeping,
  }
}
