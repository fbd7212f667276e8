import type { VersionFared } from '@switchroom/contract/calls'
import type { SettingsScope } from '../../agents/scope.ts'
import { statement, type Queryable } from '../../database/database.ts'

const fared = statement<VersionFared>(`
  select config_version as version, count(*) as calls, sum(errors) as errors, sum(llm_timeouts) as llm_timeouts,
    extract(epoch from avg(ended_at - opened_at))::float8 as avg_duration_s
  from calls
  where org = $1 and agent = $2 and env = $3 and config_holder = $4 and config_version = any($5::int[])
    and not test
  group by config_version`)

/** A version that no call ran is left out. */
export const countByVersion = (
  database: Queryable,
  { org, agent, env, holder }: SettingsScope,
  versions: readonly number[],
) => database.rows(fared, org, agent, env, holder, versions)
