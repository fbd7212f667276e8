import type { ApprovedNumber, WaitingNumbers } from '@switchroom/contract/numbers'
import { recordAudit } from '../../audit/recording.ts'
import type { Database } from '../../database/database.ts'
import type { Operator } from '../../foundation/caller.ts'
import type { Clock } from '../../foundation/clock.ts'
import { notFound } from '../../foundation/refusals.ts'
import type { NumberAdmission } from './admission.ts'
import * as store from './hooked-approvals.store.ts'

/** Numbers that orgs point here themselves: each waits for the operator's approval. */
export class HookedApprovals {
  readonly #database: Database
  readonly #clock: Clock
  readonly #admission: NumberAdmission

  constructor(database: Database, clock: Clock, admission: NumberAdmission) {
    this.#database = database
    this.#clock = clock
    this.#admission = admission
  }

  async list(): Promise<WaitingNumbers> {
    return { numbers: await store.listWaiting(this.#database) }
  }

  /** Calls to it are admitted from then on. */
  async approve(by: Operator, number: string): Promise<ApprovedNumber> {
    const now = this.#clock.now()
    const approved = await this.#database.transaction(async (tx) => {
      const found = await store.setApproved(tx, number, now)
      if (!found) throw notFound(`there is no hooked number ${number}`)
      const { org, env } = found
      await this.#admission.requestIn(tx, org)
      const target = { kind: 'number', id: number, label: number } as const
      await recordAudit(tx, by, 'number.approved', target, { org, env })
      return found
    })
    await this.#admission.readmit(approved.org)
    return approved
  }

  /** For deployments whose operator approves none: numbers that waited before are approved too. */
  async approveAll(): Promise<void> {
    await store.approveAll(this.#database, this.#clock.now())
  }
}
