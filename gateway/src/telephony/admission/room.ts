import { directLockSessions } from '../../database/direct-lock-sessions.ts'
import { lentLockSessions } from '../../database/lent-lock-sessions.ts'
import type { Infrastructure } from '../../database/room.ts'
import type { makeCarriers } from '../carriers/room.ts'
import { NumberAdmission } from './admission.ts'
import { BatchAdmission } from './batch-admission.ts'
import { HookedApprovals } from './hooked-approvals.ts'
import { longestLockWaitMs, NumberLocks } from './number-locks.ts'
import type { Planes } from './planes.ts'
import { Reconciliation } from './reconciliation.ts'
import { reconciliationTask } from './reconciliation.tasks.ts'

interface Parts extends Infrastructure, ReturnType<typeof makeCarriers> {
  planes: Planes
}

/** What the media planes admit: fences, the operator's approvals, and the reconciliation with the tables. */
export function makeAdmission(parts: Parts) {
  const { database, clock, logger, planes, networks } = parts
  const settings = parts.settings.telephony
  const lockSessions = parts.pools.isOverPooler
    ? directLockSessions(parts.directConnection, longestLockWaitMs)
    : lentLockSessions(database, longestLockWaitMs)
  const numberLocks = new NumberLocks(lockSessions)
  const tables = {
    database,
    clock,
    logger,
    planes,
    catalogue: parts.carrierCatalogue,
    accounts: parts.carrierAccounts,
    networks,
    fleets: settings.fleets,
  }
  const admission = new NumberAdmission({ ...tables, locks: numberLocks })
  const batchAdmission = new BatchAdmission(tables)
  const hookedApprovals = new HookedApprovals(database, clock, admission)
  const reconciliation = new Reconciliation({
    database,
    clock,
    logger,
    locks: numberLocks,
    planes,
    admission,
    batches: batchAdmission,
    approvals: hookedApprovals,
    settings,
  })
  return {
    numberLocks,
    admission,
    batchAdmission,
    hookedApprovals,
    reconciliationTask: reconciliationTask(reconciliation, parts.dueChecks),
  }
}
