import type { FailedAccount } from '@switchroom/contract/dialling'
import type { CarrierRoute, TellPlacement } from '@switchroom/contract/media-plane'
import type { Trunk } from '@switchroom/contract/trunk-terms'
import { mayAnotherCarry, type SipDialog } from '@switchroom/media/sip/server'
import { sentenceOf, statusOf } from './dial-failures.ts'

export interface Carriers {
  /** Unknown for a leg, and from a gateway of an earlier version. */
  account?: string | undefined
  trunk: Trunk
  fallbacks?: readonly CarrierRoute[] | undefined
}

type DialThrough = (trunk: Trunk, more: { hasNext: boolean }) => Promise<SipDialog>

/** One dial over the accounts of a number: the next is tried only if nobody was reached through those before it. */
export class CarriersInOrder {
  readonly #routes: readonly { account: string | undefined; trunk: Trunk }[]
  readonly #failed: FailedAccount[] = []
  #account: string | undefined

  constructor({ account, trunk, fallbacks = [] }: Carriers) {
    this.#routes = [{ account, trunk }, ...fallbacks]
  }

  /** Rejects with the failure of the last that was tried. */
  async dial(through: DialThrough, signal: AbortSignal): Promise<SipDialog> {
    for (const [at, { account, trunk }] of this.#routes.entries()) {
      this.#account = account
      const hasNext = at < this.#routes.length - 1
      try {
        return await through(trunk, { hasNext })
      } catch (error) {
        if (!hasNext || signal.aborted || !mayAnotherCarry(error)) throw error
        if (account !== undefined)
          this.#failed.push({ account, sip_status: statusOf(error), why: sentenceOf(error) })
      }
    }
    throw new Error('a dial has at least one account')
  }

  /** Through which account it went in the end, and why it did not go through those before. */
  get told(): Pick<TellPlacement, 'account' | 'failed_accounts'> {
    return {
      ...(this.#account !== undefined && { account: this.#account }),
      ...(this.#failed.length > 0 && { failed_accounts: this.#failed }),
    }
  }
}
