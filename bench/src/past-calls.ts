import { Client } from 'pg'

/** In tables of some hundred rows PostgreSQL reads all of them; a platform that has lived has more. */
const statements = [
  'set session_replication_role = replica', // every row is as triggers and references would want it
  `insert into orgs (id, slug, name, quotas, created_at) values ('org_past', 'past', 'Past', '{}', now())`,
  `insert into agents (org, slug, created_at) values ('org_past', 'desk', now())`,
  `insert into calls (id, org, agent, env, holder, channel, opened_at, ended_at, state, reason, settings, canary)
   select 'call_past_' || n, 'org_past', 'desk', 'sandbox', '', 'chat', now(), now(), 'ended', 'hangup', '[]', false
   from generate_series(1, 20000) as n`,
  `insert into logs (id, org, env, agent, call, sealed)
   select id, org, env, agent, id, true from calls where org = 'org_past'`,
  'vacuum analyze calls, logs',
]

/** Adds calls that have ended, of an org of their own. */
export async function addPastCalls(url: string) {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}
