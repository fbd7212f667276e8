import type { DialResult, FailedAccount } from '@switchroom/contract/dialling'
import { plain } from '../terminal/text-width.ts'

type Carriers = Pick<DialResult, 'account' | 'failed_accounts'>

/** Which accounts a call went through, from the data of its log; a log says it only if the first one failed. */
export function carriersIn(told: Record<string, unknown>): Carriers {
  const { account, failed_accounts } = told
  return {
    account: typeof account === 'string' ? account : null,
    failed_accounts: Array.isArray(failed_accounts) ? (failed_accounts as FailedAccount[]) : [],
  }
}

/** Why the accounts before failed; empty if the first one carried the call. */
export function failedInWords({ account, failed_accounts }: Carriers): string {
  if (failed_accounts.length === 0) return ''
  const failed = failed_accounts.map((one) => `${plain(one.account)}: ${plain(one.why)}`).join('; ')
  return `through ${plain(account ?? 'no account')} (${failed})`
}
