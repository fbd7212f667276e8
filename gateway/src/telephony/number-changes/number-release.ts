import { recordAudit } from '../../audit/recording.ts'
import type { Database } from '../../database/database.ts'
import type { Caller } from '../../foundation/caller.ts'
import { notFound } from '../../foundation/refusals.ts'
import type { Firewall } from '../carriers/firewall.ts'
import type { NumberAdmission } from '../admission/admission.ts'
import { numberLock, orgLock, type NumberLocks } from '../admission/number-locks.ts'
import * as store from './number-changes.store.ts'

export interface NumberReleaseParts {
  database: Database
  locks: NumberLocks
  firewall: Firewall
  admission: NumberAdmission
}

/** Releases numbers: deletes the route and what admits it; at the carrier nothing is touched. */
export class NumberRelease {
  readonly #parts: NumberReleaseParts

  constructor(parts: NumberReleaseParts) {
    this.#parts = parts
  }

  /** A failure of the media plane is retried until it is none, and so it is no refusal. */
  async release(caller: Caller, number: string): Promise<void> {
    const { org, env } = caller
    const { database, locks, firewall, admission } = this.#parts
    await locks.withLocks([numberLock(number), orgLock(org)], () =>
      firewall.around(async () => {
        await database.transaction(async (tx) => {
          if (!(await store.deleteNumber(tx, number, { org, env })))
            throw notFound(`this org has no number ${number} in ${env}`)
          await admission.requestIn(tx, org)
          await recordAudit(tx, caller, 'number.released', { kind: 'number', id: number, label: number })
        })
        await admission.apply(org).catch((error: unknown) => admission.logFailure(org, error))
      }),
    )
  }
}
