import { statement, type Queryable, type Transaction } from '../../database/database.ts'

export interface PairingRow {
  device: string
  org_name: string | null
  key: string | null
  is_collected: boolean
  /** Digest of the terminal's secret. */
  collect: Buffer | null
  expires_at: string
}

const insert = statement(`insert into pairings (digest, device, collect, expires_at) values ($1, $2, $3, $4)`)

export interface NewPairing {
  digest: Buffer
  device: string
  collect: Buffer | null
  expires_at: Date
}

export const insertPairing = (database: Queryable, { digest, device, collect, expires_at }: NewPairing) =>
  database.rows(insert, digest, device, collect, expires_at)

const columns = 'device, org_name, key, is_collected, collect, expires_at'
const living = statement<PairingRow>(`select ${columns} from pairings where digest = $1 and expires_at > $2`)

export const findPairing = (database: Queryable, digest: Buffer, now: Date) =>
  database.row(living, digest, now)

const locked = statement<PairingRow>(
  `select ${columns} from pairings where digest = $1 and expires_at > $2 for update`,
)

/** Locked, so that of several approvals, or several collections, one succeeds. */
export const lockPairing = (tx: Transaction, digest: Buffer, now: Date) => tx.row(locked, digest, now)

const answer = statement(`update pairings set device = $2, org_name = $3, key = $4 where digest = $1`)

export const answerPairing = (
  tx: Transaction,
  digest: Buffer,
  { device, org_name, key }: { device: string; org_name: string | null; key: string },
) => tx.rows(answer, digest, device, org_name, key)

const markCollected = statement(`update pairings set is_collected = true where digest = $1`)

export const collectPairing = (tx: Transaction, digest: Buffer) => tx.rows(markCollected, digest)

const forget = statement<{ key: string | null }>(`
  delete from pairings where expires_at <= $1 returning case when is_collected then null else key end as key`)

/** Answers the keys that no terminal collected. */
export const deleteExpiredPairings = (tx: Transaction, now: Date) => tx.rows(forget, now)
