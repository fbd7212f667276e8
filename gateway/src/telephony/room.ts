import type { PeriodicTask } from '@switchroom/process/periodic-tasks'
import type { CallsRoom } from '../calls/room.ts'
import { secondMs } from '../foundation/clock.ts'
import type { Infrastructure } from '../database/room.ts'
import type { AgentsRoom } from '../agents/room.ts'
import type { HttpRoom } from '../http/room.ts'
import type { PeopleRoom } from '../people/room.ts'
import { EmbeddedPlane } from '@switchroom/media/embedded'
import { Planes } from './admission/planes.ts'
import { makeAdmission } from './admission/room.ts'
import type { FindMessagingNumber } from './carriers/accounts.ts'
import { makeCarriers } from './carriers/room.ts'
import { BrowserCalls } from './browser/browser-calls.ts'
import { PageCalls } from './browser/page-calls.ts'
import { PageTokens } from './publishable-keys/page-tokens.ts'
import { PublishableKeys } from './publishable-keys/publishable-keys.ts'
import { Consents } from './consents/consents.ts'
import { DialDecisions } from './dialling/dial-decisions.ts'
import { DialLedger } from './dialling/ledger.ts'
import { OldDials } from './dialling/old-dials.ts'
import { DialPolicies } from './dialling/policies.ts'
import { Fallbacks } from './fallbacks/fallbacks.ts'
import { FromNumbers } from './dialling/from-numbers.ts'
import { AccountNumbers } from './numbers/account-numbers.ts'
import { Numbers } from './numbers/numbers.ts'
import { makeNumberChanges } from './number-changes/room.ts'
import { OutboundProvisioning } from './outbound/provisioning.ts'
import { OutboundReadinesses } from './outbound/readiness.ts'
import { OwnPhones } from './own-phone/own-phones.ts'
import { Legs } from './placing/legs.ts'
import { Placements } from './placing/placements.ts'
import { Registrations } from './registrations/registrations.ts'
import { Workers } from './workers/workers.ts'
import { TrunkTests } from './trunk-tests/trunk-tests.ts'
import { CallPlacer } from './placing/call-placer.ts'
import { makeWorkerOffers } from './worker-offers/room.ts'

export type TelephonyRoom = ReturnType<typeof makeTelephony>

/** Telephony: numbers, carriers, who may be called, and how calls are placed. */
export function makeTelephony(
  parts: Infrastructure & HttpRoom & PeopleRoom & AgentsRoom & CallsRoom,
  findMessagingNumber: FindMessagingNumber,
) {
  const {
    settings,
    database,
    clock,
    logger,
    rateCounts,
    orgs,
    runningGateways,
    authentication,
    callRecords,
  } = parts
  const workerOffers = makeWorkerOffers(parts)
  const embedded = new EmbeddedPlane(workerOffers.embeddedFences, workerOffers.placementOffers)
  const planes = new Planes(settings.telephony, embedded)
  const carriers: ReturnType<typeof makeCarriers> = makeCarriers(parts, findMessagingNumber, (org) =>
    admissions.admission.readmit(org),
  )
  const { apiCarrier, carrierAccounts, carrierCatalogue } = carriers
  const admissions = makeAdmission({ ...parts, ...carriers, planes })
  const numbers = new Numbers({
    database,
    clock,
    gateways: runningGateways,
    networksOf: (kind) => carrierCatalogue.networksOf(kind),
    sipNames: settings.telephony.sipNames,
  })
  const accountNumbers = new AccountNumbers({
    database,
    logger,
    accounts: carrierAccounts,
    carrier: apiCarrier,
    findMessagingNumber,
  })
  const numberChanges = makeNumberChanges({
    ...parts,
    ...carriers,
    ...admissions,
    planes,
    numbers,
    findMessagingNumber,
  })
  const consents = new Consents(database, clock)
  const dialPolicies = new DialPolicies(database, orgs)
  const dialDecisions = new DialDecisions({
    database,
    clock,
    gateways: runningGateways,
    onDecided: (env, outcome) => parts.meters.count('switchroom_dials_total', [env, outcome]),
  })
  const dialLedger = new DialLedger(database)
  const fromNumbers = new FromNumbers(database)
  const outboundProvisioning = new OutboundProvisioning({
    ...parts,
    locks: admissions.numberLocks,
    carrier: apiCarrier,
    accounts: carrierAccounts,
  })
  const outboundReadinesses = new OutboundReadinesses({
    database,
    accounts: carrierAccounts,
    fromNumbers,
    policies: dialPolicies,
  })

  const ownPhones = new OwnPhones({
    database,
    clock,
    rateCounts,
    carrier: apiCarrier,
    settings: settings.telephony,
  })

  const trunkOf = (org: string, account: string) => outboundProvisioning.trunkOf(org, account)
  const placements = new Placements({
    ...parts,
    gateways: runningGateways,
    planes,
    trunkOf,
    fleets: settings.telephony.fleets,
  })
  const browserCalls = new BrowserCalls({
    ...parts,
    records: callRecords,
    planes,
    fleets: settings.telephony.fleets,
    baseUrl: settings.baseUrl,
    ice: settings.telephony.ice,
    missingKeys: (org, scope) => parts.workerAnswers.missingKeys(org, scope),
  })
  const pageCalls = new PageCalls({
    ...parts,
    planes,
    baseUrl: settings.baseUrl,
    ice: settings.telephony.ice,
  })
  const publishableKeys = new PublishableKeys({ database, clock, orgs })
  const pageTokens = new PageTokens({
    database,
    rateCounts,
    records: callRecords,
    browserCalls,
    chatTokens: authentication.chatTokens,
  })
  const workers = new Workers(database, clock)
  const oldDials = new OldDials(parts.slowDatabase, clock, parts.lives)
  const placementTasks: PeriodicTask[] = [
    {
      name: 'end placements of dead gateways',
      everyMs: 2 * secondMs,
      run: () => parts.dueChecks.runIfAny(placements.due, () => placements.poll()),
    },
    {
      name: 'end browser calls that never began',
      everyMs: 2 * secondMs,
      run: () => parts.dueChecks.runIfAny(browserCalls.due, () => browserCalls.poll()),
    },
  ]
  const callPlacer = new CallPlacer({
    dialDecisions,
    records: callRecords,
    placements,
    logTokens: authentication.logTokens,
  })
  const registrations = new Registrations({ database, clock, accounts: carrierAccounts, trunkOf })
  const trunkTests = new TrunkTests({
    ...parts,
    ...workerOffers,
    accounts: carrierAccounts,
    dialDecisions,
    trunkOf,
    isEmbedded: (env) => planes.isEmbedded(env),
  })
  const legs = new Legs({ ...parts, records: callRecords, dialDecisions, trunkOf })

  return {
    ...workerOffers,
    oldDials,
    planes,
    ...carriers,
    ...admissions,
    numbers,
    accountNumbers,
    ...numberChanges,
    outboundProvisioning,
    registrations,
    outboundReadinesses,
    consents,
    dialPolicies,
    dialDecisions,
    dialLedger,
    fromNumbers,
    fallbacks: new Fallbacks(database),
    ownPhones,
    browserCalls,
    pageCalls,
    publishableKeys,
    pageTokens,
    workers,
    placements,
    placementTasks,
    callPlacer,
    trunkTests,
    legs,
  }
}
