import type { IndexChange } from '../../database/index-changes.ts'

/** By which rows are found that are to be deleted, in databases that had rows before the migration that names them. */
export const indexesOfRetention: readonly IndexChange[] = [
  {
    name: 'calls_forgotten',
    make: `create index concurrently calls_forgotten on calls (ended_at) where forgotten`,
  },
  {
    name: 'keys_revoked',
    make: `create index concurrently keys_revoked on keys (revoked_at) where revoked_at is not null`,
  },
]
