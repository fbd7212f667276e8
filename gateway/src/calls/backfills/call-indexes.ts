import type { IndexChange } from '../../database/index-changes.ts'

/** The indexes of databases that had calls before the migrations that name them; new ones have them from there. */
export const callIndexes = (areWordsFilled: () => Promise<boolean>): IndexChange[] => [
  {
    name: 'calls_fared_with_tests',
    make: `create index concurrently calls_fared_with_tests on calls (org, agent, env, config_holder, config_version)
      include (errors, llm_timeouts, opened_at, ended_at, test)`,
  },
  { name: 'calls_fared', make: null },
  { name: 'calls_of_version', make: null },
  {
    name: 'calls_of_agent_by_channel',
    make: `create index concurrently calls_of_agent_by_channel on calls (org, env, agent, channel, ordinal desc)`,
  },
  {
    // Not `seq > 0` as well: then no append would be a HOT update.
    name: 'logs_open_of_org',
    make: `create index concurrently logs_open_of_org on logs (org) where call is not null and not sealed`,
  },
  {
    name: 'logs_of_month',
    make: `create index concurrently logs_of_month on logs (month) where month > 0`,
  },
  {
    name: 'log_tokens_by_end',
    make: `create index concurrently log_tokens_by_end on log_tokens (expires_at)`,
  },
  {
    name: 'calls_of_tests',
    make: `create index concurrently calls_of_tests on calls (org, env, ordinal desc) where test`,
  },
  {
    name: 'calls_by_opening',
    make: `create index concurrently calls_by_opening on calls (org, env, opened_at)`,
  },
  { name: 'entries_words', make: null, isDue: areWordsFilled },
]
