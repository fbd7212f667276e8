import { digestOf } from '@switchroom/gateway/foundation/secrets'
import { Client } from 'pg'
import { say } from '../report.ts'
import { fillCalls, makeCallTables } from './volume-calls.ts'
import { withoutIndexes } from './volume-indexes.ts'
import { dialsOfDay, keyOf, largeAgent, largeOrg, smallOrg, type VolumeShape } from './volume-shape.ts'

const seconds = (sinceMs: number) => `${Math.round((performance.now() - sinceMs) / 1000)} s`
const each = (count: number) => `generate_series(1, ${count}) as n`
/** Of rows that every org has some of; the large org has a fifth. */
const anyOrg = (orgs: number) =>
  `case when n % 5 = 0 then '${largeOrg}' else 'org_' || 2 + abs(hashint8(n)) % ${orgs - 1} end`
const mobile = (n: string) => `'+346' || lpad((${n})::text, 8, '0')`

/** Fills a migrated, empty database, also one of an older release. Triggers and references are off meanwhile: every row is as they would want it. */
export async function fillVolume(url: string, shape: VolumeShape) {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await fill(client, shape)
  } finally {
    await client.end()
  }
}

async function fill(client: Client, shape: VolumeShape) {
  await client.query(`set session_replication_role = replica; set maintenance_work_mem = '512MB'`)
  const begunMs = performance.now()
  for (const statement of [...peopleOf(shape), ...numbersOf(shape)]) await client.query(statement)
  await insertKeys(client)
  say(`  orgs, agents, keys, numbers: ${seconds(begunMs)}`)
  const callsMs = performance.now()
  const tables = await makeCallTables(client)
  await withoutIndexes(client, tables, () => fillCalls(client, shape, new Set(tables)))
  say(`  ${shape.calls} calls and their entries: ${seconds(callsMs)}`)
  const dialsMs = performance.now()
  await withoutIndexes(client, ['dials', 'consents', 'consent_standings', 'known_contacts'], async () => {
    for (const statement of dialsOf(shape)) await client.query(statement)
  })
  say(`  dials, consents, contacts: ${seconds(dialsMs)}`)
  const analysedMs = performance.now()
  await client.query('vacuum analyze')
  say(`  vacuum and analyze: ${seconds(analysedMs)}`)
}

const peopleOf = ({ calls, orgs, agentsOfOrg }: VolumeShape) => [
  `insert into orgs (id, slug, name, quotas, created_at)
   select 'org_' || n, 'org-' || n, 'Org', '{}', now() from ${each(orgs)}`,
  `insert into agents (org, slug, created_at)
   select 'org_' || n, 'a' || a, now() from ${each(orgs)}, generate_series(1, ${agentsOfOrg}) as a`,
  `insert into versions (kind, org, agent, env, holder, version, author, set_at, content)
   select 'settings', 'org_' || n, 'a' || a, 'production', '', v, 'bench', now(), '{}'
   from ${each(orgs)}, generate_series(1, ${agentsOfOrg}) as a, generate_series(1, 3) as v`,
  `insert into keys (id, org, digest, kind, label, env, scopes, created_by, created_at)
   select 'key_' || n, ${anyOrg(orgs)}, sha256(n::text::bytea), 'server', 'bench', 'production', '{app}', 'bench', now()
   from ${each(Math.round(calls / 10))}`,
]

const numbersOf = ({ calls, orgs, agentsOfOrg }: VolumeShape) => [
  `insert into carrier_accounts (org, account, kind, label, sealed, dials_at, created_at)
   select 'org_' || n, 'peer', 'sip', 'peer', '', 'sip.example', now() from ${each(orgs)}`,
  `insert into numbers (number, org, env, agent, origin, account, created_at)
   select '+349' || lpad(n::text, 8, '0'), 'org_' || 1 + n % ${orgs}, 'production', 'a' || 1 + n % ${agentsOfOrg},
     'imported', 'peer', now()
   from ${each(Math.round(calls / 400))}`,
  `insert into dialling_policies (org, calling_hours, per_number_day)
   select 'org_' || n, null, 100 from ${each(orgs)}`,
]

/** The keys of the orgs that are measured. */
async function insertKeys(client: Client) {
  const scopes = ['app', 'talk', 'calls', 'team', 'numbers']
  for (const org of [largeOrg, smallOrg])
    await client.query(
      `insert into keys (id, org, digest, kind, label, env, scopes, created_by, maker_held_production, created_at)
       values ($1, $2, $3, 'server', 'bench', 'production', $4, 'operator', true, now())`,
      [`key_of_${org}`, org, digestOf(keyOf(org)), scopes],
    )
}

// The days are as full at every size; only their number grows.
const dialsOf = ({ calls, orgs, optOuts, dials }: VolumeShape) => [
  `insert into dials (id, org, env, agent, kind, called, by, outcome, status, at)
   select 'dial_' || md5(n::text), ${anyOrg(orgs)}, 'production', '${largeAgent}', 'dial',
     ${mobile(`abs(hashint8(n)) % 1000000`)}, 'bench', 'taken', 202,
     now() - (${dials} - n) * interval '1 day' / ${dialsOfDay * 5}
   from ${each(dials)}`,
  `insert into consents (ordinal, id, org, number, fact, kind, source, by, at) overriding system value
   select n, 'fact_' || md5(n::text), case when n % 5 < 2 then '${largeOrg}' else ${anyOrg(orgs)} end, ${mobile('n')},
     case when n <= ${optOuts * 5} and n % 5 = 0 then 'opt_out' else 'consent' end,
     case when n <= ${optOuts * 5} and n % 5 = 0 then null else 'express' end, 'form', 'bench', now()
   from ${each(Math.max(Math.round(calls / 2), optOuts * 5))}`,
  `insert into consent_standings (org, number, fact, ordinal) select org, number, fact, ordinal from consents`,
  `select setval('consents_ordinal_seq', (select max(ordinal) from consents))`,
  `insert into known_contacts (org, env, contact, first_at)
   select ${anyOrg(orgs)}, 'production', ${mobile('n')}, now() from ${each(Math.round(calls / 2))}`,
]
