import type { Environment } from '@switchroom/contract/scopes'
import type { Lexicon } from '@switchroom/contract/settings'
import { statement, type Queryable } from '../../database/database.ts'

const newest = statement<{ content: Lexicon }>(`
  select v.content from agents a cross join lateral (
    select content from versions
    where kind = 'lexicon' and org = a.org and agent = a.slug and env = $2 and holder = ''
    order by version desc limit 1
  ) as v
  where a.org = $1`)

/** The newest of every agent, without people's drafts. */
export const newestLexicons = (database: Queryable, org: string, env: Environment) =>
  database.rows(newest, org, env)
