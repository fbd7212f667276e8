import type { Role } from '@switchroom/contract/scopes'
import { statement, type Queryable, type Transaction } from '../../database/database.ts'

export interface ProviderRow {
  org: string
  slug: string
  issuer: string
  client_id: string
  client_secret: Buffer
  role: Role | null
  required: boolean
}

const columns = `p.org, o.slug, p.issuer, p.client_id, p.client_secret, p.role, p.required`
const from = `identity_providers p join orgs o on o.id = p.org`

const ofOrg = statement<ProviderRow>(`select ${columns} from ${from} where p.org = $1`)

export const findProvider = (database: Queryable, org: string) => database.row(ofOrg, org)

const ofSlug = statement<ProviderRow>(`select ${columns} from ${from} where o.slug = $1`)

export const findProviderOfSlug = (database: Queryable, slug: string) => database.row(ofSlug, slug)

const keep = statement(`
  insert into identity_providers (org, issuer, client_id, client_secret, role, required)
  values ($1, $2, $3, $4, $5, $6)
  on conflict (org) do update set issuer = excluded.issuer, client_id = excluded.client_id,
    client_secret = excluded.client_secret, role = excluded.role, required = excluded.required`)

export const keepProvider = (tx: Transaction, provider: Omit<ProviderRow, 'slug'>) =>
  tx.rows(
    keep,
    provider.org,
    provider.issuer,
    provider.client_id,
    provider.client_secret,
    provider.role,
    provider.required,
  )

const remove = statement<{ issuer: string }>(`delete from identity_providers where org = $1 returning issuer`)

/** Its domains and their verifications are deleted with it. */
export const deleteProvider = (tx: Transaction, org: string) => tx.row(remove, org)
