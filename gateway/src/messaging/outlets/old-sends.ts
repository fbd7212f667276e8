import type { Transaction } from '../../database/database.ts'
import * as store from './old-sends.store.ts'

/** How the turns of these calls were delivered, which is of use for as long as the turns are kept. */
export const forgetSends = (tx: Transaction, calls: readonly string[]) => store.deleteSends(tx, calls)
