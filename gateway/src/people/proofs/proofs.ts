import { recordAudit, system } from '../../audit/recording.ts'
import type { Transaction } from '../../database/database.ts'
import type { Keys } from '../keys/keys.ts'
import * as store from './proofs.store.ts'

/** The one place where an address becomes proven: everything made in its name before the proof is revoked. */
export class Proofs {
  readonly #keys: Keys

  constructor(keys: Keys) {
    this.#keys = keys
  }

  /** Lock before any rule that reads the person's links, password or seats; rows first, then the person. */
  lock(tx: Transaction, email: string): Promise<store.Person | undefined> {
    return store.lockPerson(tx, email)
  }

  /**
   * True if the address was not proven until now. Then every key and its copies are revoked, the password is deleted,
   * and every membership except the one that the proof is for has to be accepted again.
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
