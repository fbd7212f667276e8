import { recordAudit, system } from '../../audit/recording.ts'
import type { Transaction } from '../../database/database.ts'
import type { Keys } from '../keys/keys.ts'
import * as store from './proofs.store.ts'

/** The one place where an address becomes proven: whatever was held in its name before the proof ends with it. */
export class Proofs {
  readonly #keys: Keys

  constructor(keys: Keys) {
    this.#keys = keys
  }

  /** Taken before anything that judges the person's links, password or seats; rows first, then the person. */
  lock(tx: Transaction, email: string): Promise<store.Person | undefined> {
    return store.lockPerson(tx, email)
  }

  /**
   * True when the address was not proven until now. Then every key of every row is dead with its copies, the
   * password is dropped, and every row but the one that is entered with the proof has to be accepted again.
   */
  async prove(tx: Transaction, email: string, enteredRow?: string): Promise<boolean> {
    const person = await this.lock(tx, email)
    if (person?.verified) return false
    await store.markProven(tx, email)
    await this.#keys.revokeOfPerson(tx, email)
    await store.deleteLoginCodes(tx, email)
    await store.deleteHandedLinks(tx, email)
    for (const { id, org } of await store.reopenSeats(tx, email, enteredRow)) {
      const target = { kind: 'member', id, label: email } as const
      await recordAudit(tx, { ...system, org }, 'member.reopened', target)
    }
    return true
  }
}
