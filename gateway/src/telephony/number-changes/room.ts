import type { Infrastructure } from '../../database/room.ts'
import type { Orgs } from '../../people/orgs/orgs.ts'
import type { makeAdmission } from '../admission/room.ts'
import type { Planes } from '../admission/planes.ts'
import type { FindMessagingNumber } from '../carriers/accounts.ts'
import type { makeCarriers } from '../carriers/room.ts'
import type { Numbers } from '../numbers/numbers.ts'
import { NumberImport } from './number-import.ts'
import { NumberMove } from './number-move.ts'
import { NumberPurchase } from './number-purchase.ts'
import { NumberRelease } from './number-release.ts'
import { carrierReleaseTask } from './number-release.tasks.ts'
import { NumberRouting } from './number-routing.ts'
import { NumberSearch } from './number-search.ts'
import { NumberSources } from './number-sources.ts'
import { PurchaseRequirements } from './purchase-requirements.ts'

interface Parts extends Infrastructure, ReturnType<typeof makeCarriers>, ReturnType<typeof makeAdmission> {
  orgs: Orgs
  planes: Planes
  numbers: Numbers
  findMessagingNumber: FindMessagingNumber
}

/** What changes which numbers ring: import, purchase, move, release. */
export function makeNumberChanges(parts: Parts) {
  const settings = parts.settings.telephony
  const { numbersQuota: quota, sipNames } = settings
  const shared = {
    ...parts,
    settings,
    locks: parts.numberLocks,
    carrier: parts.apiCarrier,
    shop: parts.numberShop,
    accounts: parts.carrierAccounts,
    catalogue: parts.carrierCatalogue,
  }
  const sources = new NumberSources(shared)
  const numberRouting = new NumberRouting(shared)
  const numberImport = new NumberImport({ ...shared, sources, numberRouting })
  const requirements = new PurchaseRequirements({ ...shared, sources })
  const numberSearch = new NumberSearch({ ...shared, sources, requirements })
  const numberPurchase = new NumberPurchase({ ...shared, sources, requirements, numberRouting, quota })
  const numberMove = new NumberMove({ ...shared, sources, numberRouting, numberPurchase, sipNames })
  const numberRelease = new NumberRelease({ ...shared, sources })
  return {
    numberImport,
    numberSearch,
    purchaseRequirements: requirements,
    numberPurchase,
    numberMove,
    numberRelease,
    carrierReleaseTask: carrierReleaseTask(numberRelease),
  }
}
