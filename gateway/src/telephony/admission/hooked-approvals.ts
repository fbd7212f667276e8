import type { ApprovedNumber, WaitingNumbers } from '@switchroom/contract/numbers'
import { recordAudit } from '../../audit/recording.ts'
import type { Database } from '../../database/database.ts'
import type { Operator } from '../../foundation/caller.ts'
import type { Clock } from '../../foundation/clock.ts'
import { notFound } from '../../foundation/refusals.ts'
import type { Admitting } from './admission.ts'
import { askAdmission } from './admission.store.ts'
import * as store from '../numbers/numbers.store.ts'

/** Numbers that orgs point here themselves, and the operator's word on each. */
export class HookedApprovals {
  readonly #database: Database
  readonly #clock: Clock
  readonly #admitting: Admitting

  constructor(database: Database, clock: Clock, admitting: Admitting) {
    this.#database = database
    this.#clock = clock
    this.#admitting = admitting
  }

  async list(): Promise<WaitingNumbers> {
    return { numbers: await store.listAwaiting(this.#database) }
  }

  /** It rings from then on. */
  async approve(by: Operator, number: string): Promise<ApprovedNumber> {
    const now = this.#clock.now()
    const approved = await this.#database.transaction(async (tx) => {
      const found = await store.setApproved(tx, number, now)
      if (!found) throw notFound(`there is no hooked number ${number}`)
      await askAdmission(tx, found.org, now)
      const { org, env } = found
      await recordAudit(
        tx,
        by,
        'number.approved',
        { kind: 'number', id: number, label: number },
        { org, env },
      )
      return found
    })
    await this.#admitting.readmit(approved.org)
    return approved
  }

  /** Where nobody is asked to approve them, those that waited ring too. */
  async approveAll(): Promise<void> {
    await store.approveEvery(this.#database, this.#clock.now())
  }
}
