import type { RunningGateways } from '../../agents/apps/running-gateways.ts'
import type { Infrastructure } from '../../database/room.ts'
import type { Orgs } from '../../people/orgs/orgs.ts'
import type { makeCarriers } from '../carriers/room.ts'
import type { Planes } from '../admission/planes.ts'
import { Admitting } from '../admission/admission.ts'
import { Available } from '../numbers/account-numbers.ts'
import { Buying } from './number-purchase.ts'
import { HookedApprovals } from '../admission/hooked-approvals.ts'
import { NumberRouting } from './number-routing.ts'
import { Importing } from './number-import.ts'
import { LettingGo } from './number-release.ts'
import { Moving } from './number-move.ts'
import type { NumberLocks } from '../admission/number-locks.ts'
import { Numbers } from '../numbers/numbers.ts'
import { NumberSources } from './number-sources.ts'
import { Reconciliation } from '../admission/reconciliation.ts'
import { ReconciliationTasks } from '../admission/reconciliation.tasks.ts'

interface Parts extends Infrastructure, ReturnType<typeof makeCarriers> {
  orgs: Orgs
  runningGateways: RunningGateways
  numberLocks: NumberLocks
  planes: Planes
}

export type NumbersRoom = ReturnType<typeof makeNumbers>

/** Numbers: how they come here, which agent answers at each, and what the media planes admit. */
export function makeNumbers(parts: Parts) {
  const { database, clock, logger, orgs, planes, firewall, networks, numberLocks: locks } = parts
  const { apiCarrier: carrier, messagingApi: messaging } = parts
  const { carrierAccounts: accounts, carrierCatalogue: catalogue } = parts
  const settings = parts.settings.telephony
  const { sipNames, fleets } = settings

  const numbers = new Numbers({
    database,
    clock,
    gateways: parts.runningGateways,
    networksOf: (kind) => catalogue.networksOf(kind),
    sipNames,
  })
  const availableNumbers = new Available({ database, logger, accounts, carrier, messaging })
  const ground = { database, clock, logger, locks, planes, firewall, networks, accounts, carrier, catalogue }
  const admitting = new Admitting({ ...ground, fleets })
  const sources = new NumberSources(accounts, carrier, messaging, settings)
  const numberRouting = new NumberRouting({ ...ground, settings, admitting })
  const importing = new Importing({ ...ground, orgs, sources, numberRouting })
  const buying = new Buying({ ...ground, orgs, sources, numberRouting, quota: settings.numbersQuota })
  const moving = new Moving({ ...ground, sources, numberRouting, admitting, buying, sipNames })
  const lettingGo = new LettingGo({ ...ground, admitting })
  const hookedApprovals = new HookedApprovals(database, clock, admitting)
  const reconciliation = new Reconciliation({ ...ground, admitting, approvals: hookedApprovals, settings })
  const reconciliationTasks = new ReconciliationTasks(reconciliation, logger)

  return {
    numbers,
    availableNumbers,
    admitting,
    importing,
    buying,
    moving,
    lettingGo,
    hookedApprovals,
    reconciliationTasks,
  }
}
