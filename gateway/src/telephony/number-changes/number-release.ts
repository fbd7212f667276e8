import { recordAudit } from '../../audit/recording.ts'
import type { Database } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import type { Clock } from '../../foundation/clock.ts'
import { notFound } from '../../foundation/refusals.ts'
import type { Firewall } from '../carriers/firewall.ts'
import type { Admitting } from '../admission/admission.ts'
import { askAdmission } from '../admission/admission.store.ts'
import { numberLock, orgLock, type NumberLocks } from '../admission/number-locks.ts'
import * as store from '../numbers/numbers.store.ts'

export interface LettingGoParts {
  database: Database
  clock: Clock
  locks: NumberLocks
  firewall: Firewall
  admitting: Admitting
}

/** Lets numbers go: the route and what admits it; at the carrier nothing is touched. */
export class LettingGo {
  readonly #parts: LettingGoParts

  constructor(parts: LettingGoParts) {
    this.#parts = parts
  }

  /** The media plane is told again until it hears, so its failure is none of the caller's. */
  async letGo(caller: Caller, number: string): Promise<void> {
    const { org, env } = caller
    const { database, clock, locks, firewall, admitting } = this.#parts
    await locks.withLocks([numberLock(number), orgLock(org)], () =>
      firewall.around(async () => {
        await database.transaction(async (tx) => {
          if (!(await store.deleteNumber(tx, number, { org, env })))
            throw notFound(`this org has no number ${number} in ${env}`)
          await askAdmission(tx, org, clock.now())
          await recordAudit(tx, caller, 'number.released', { kind: 'number', id: number, label: number })
        })
        await admitting.tell(org).catch((error: unknown) => admitting.logFailure(org, error))
      }),
    )
  }
}
