import type { FailedAccount } from '@switchroom/contract/dialling'
import type { CarrierRoute } from '@switchroom/contract/media-plane'
import type { OutboundTrunk, PlacingResult } from '@switchroom/media/plane'

export type TrunkOf = (org: string, account: string) => Promise<OutboundTrunk | undefined>

export interface CarrierRoutes {
  /** In the order in which they are tried. */
  routes: CarrierRoute[]
  /** Accounts that lost what they dial by since they were named. */
  failed: FailedAccount[]
}

/** Through what a call from a number may go. */
export async function carrierRoutes(
  trunkOf: TrunkOf,
  org: string,
  accounts: readonly string[],
): Promise<CarrierRoutes> {
  const trunks = await Promise.all(accounts.map((account) => trunkOf(org, account)))
  const routes: CarrierRoute[] = []
  const failed: FailedAccount[] = []
  for (const [at, account] of accounts.entries()) {
    const trunk = trunks[at]
    if (trunk) routes.push({ account, trunk })
    else failed.push({ account, sip_status: null, why: `the account ${account} can no longer dial` })
  }
  return { routes, failed }
}

/** The result with every account that failed, in the number's order; accounts that are not the number's are left out. */
export function resultOver(
  accounts: readonly string[],
  { account, failed_accounts = [], ...result }: PlacingResult,
  failed: readonly FailedAccount[],
): PlacingResult {
  const all = [...failed, ...failed_accounts].filter((one) => accounts.includes(one.account))
  const inOrder = all.toSorted(
    (one, other) => accounts.indexOf(one.account) - accounts.indexOf(other.account),
  )
  return {
    ...result,
    ...(account !== undefined && accounts.includes(account) && { account }),
    ...(inOrder.length > 0 && { failed_accounts: inOrder }),
  }
}
