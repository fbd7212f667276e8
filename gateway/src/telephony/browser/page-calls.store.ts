import type { Environment } from '@switchroom/contract/scopes'
import { statement, type Queryable } from '../../database/database.ts'

/** The call that a page is in. */
export interface Participation {
  call: string
  org: string
  slug: string
  env: Environment
  agent: string
  is_ended: boolean
  /** Whether a worker runs it, or ran it. */
  is_answered: boolean
}

const fields = `c.id as call, c.org, o.slug, c.env, c.agent, c.ended_at is not null as is_ended,
  c.beat_at is not null as is_answered`

const byToken = statement<Participation>(`
  select ${fields} from browser_calls b join calls c on c.id = b.call join orgs o on o.id = c.org
  where b.digest = $1`)

export const findByToken = (database: Queryable, digest: Buffer) => database.row(byToken, digest)

const byCall = statement<Participation>(`
  select ${fields} from calls c join orgs o on o.id = c.org where c.id = $1 and c.channel = 'web'`)

export const findByCall = (database: Queryable, call: string) => database.row(byCall, call)
