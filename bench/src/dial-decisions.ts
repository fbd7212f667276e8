import { Database } from '@switchroom/gateway/database/database'
import { systemClock } from '@switchroom/gateway/foundation/clock'
import type { Caller } from '@switchroom/gateway/foundation/caller'
import { Refusal } from '@switchroom/gateway/foundation/refusals'
import { dialInsert, factsRead, orgLock } from '@switchroom/gateway/telephony/dialling/dial-decisions.store'
import { DialDecisions } from '@switchroom/gateway/telephony/dialling/dial-decisions'
import { startBenchDeployment } from './deployment.ts'
import { judge, median, say } from './report.ts'
import { sameDriver, sameStatements, type Sent } from './same-statements.ts'

const atOnce = 16
const roundS = 4
const rounds = 5
const orgs = 200
const called = '+12125550123'

/** Dials judged and written down a second, against the same statements under pgbench, in turns in one run. */
export async function dialDecisions(): Promise<boolean> {
  await using deployment = await startBenchDeployment()
  const database = new Database(deployment.databaseUrl, () => {})
  const own = await makeOrgs(database)
  const gateways = { id: own, alive: { own, since: new Date() } }
  const dialling = new DialDecisions({
    database,
    clock: systemClock,
    gateways,
  })
  const statements = decision(gateways.id)
  await ourRate(dialling) // warm
  const ratios: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const ours = await ourRate(dialling)
    const load = { url: deployment.databaseUrl, statements, atOnce, seconds: roundS }
    const [theirs, driver] = [await sameStatements(load), await sameDriver(load)]
    ratios.push(ours / theirs)
    say(
      `  round ${round + 1}: ${Math.round(ours)} dials decided a second, ${Math.round(theirs)} by pgbench, ${Math.round(driver)} by the bare driver`,
    )
  }
  await database.close()
  return judge('dial decisions against the same statements under pgbench', median(ratios), { atLeast: 0.6 })
}

async function ourRate(dialling: DialDecisions): Promise<number> {
  const begunMs = performance.now()
  let decided = 0
  const keepDialling = async () => {
    while (performance.now() - begunMs < roundS * 1000) {
      await dialling
        .take({ kind: 'dial', caller: callerOf(anyOrg()), agent: 'desk', to: called })
        .catch(refusal)
      decided += 1
    }
  }
  await Promise.all(Array.from({ length: atOnce }, keepDialling))
  return (decided * 1000) / (performance.now() - begunMs)
}

/** Most dials of a bench are past the pace of their org or at night, which takes the same statements as any other. */
function refusal(error: unknown) {
  if (!(error instanceof Refusal) || (error.status !== 429 && error.status !== 403)) throw error
}

/** What `Dialling.take` sends for one dial of any of the orgs. */
function decision(gateway: string): Sent[] {
  const org = `('org_' || 1 + :one % ${orgs})`
  const id = `('dial_' || :one || '_' || :two)`
  const [env, agent, to] = [`'production'`, `'desk'`, `'${called}'`]
  const since = [`now() - interval '60 s'`, `now() - interval '24 h'`]
  const refused = [`'bench'`, `'refused'`, '429', `'per_minute'`, 'now()']
  return [
    { text: 'begin' },
    { text: orgLock, values: [org] },
    { text: factsRead.text, values: [org, env, agent, to, ...since, 'null', `''`, `'${gateway}'`, 'now()'] },
    {
      text: dialInsert,
      values: [id, org, env, agent, `'dial'`, to, `'+34910000001'`, 'null', ...refused],
    },
    { text: 'commit' },
  ]
}

const anyOrg = () => `org_${1 + Math.floor(Math.random() * orgs)}`

const callerOf = (org: string): Caller => ({
  kind: 'server',
  org,
  slug: org,
  key_id: 'key_bench',
  label: 'bench',
  env: 'production',
  scopes: ['talk'],
  subject: '',
  name: '',
  email: null,
  operator: false,
  visiting: false,
  production: true,
  agents: [],
  from: '127.0.0.1',
})

/**
 * As orgs in use are: an agent that is held and has a number, a caller who consented, and a day's dials. Answers the
 * gateway that the apps are on.
 */
async function makeOrgs({ pool }: Database): Promise<string> {
  const each = `generate_series(1, ${orgs}) as n`
  for (const statement of [
    `insert into orgs (id, slug, name, quotas, created_at)
     select 'org_' || n, 'org-' || n, 'Org', '{}', now() from ${each}`,
    `insert into agents (org, slug, created_at) select 'org_' || n, 'desk', now() from ${each}`,
    `insert into carrier_accounts (org, account, kind, label, sealed, dials_at, created_at)
     select 'org_' || n, 'peer', 'sip', 'peer', '', 'sip.example', now() from ${each}`,
    `insert into numbers (number, org, env, agent, origin, account, created_at)
     select '+349100' || lpad(n::text, 5, '0'), 'org_' || n, 'production', 'desk', 'imported', 'peer', now() from ${each}`,
    `insert into known_contacts (org, env, contact, first_at)
     select 'org_' || n, 'production', '${called}', now() from ${each}`,
    `insert into consents (id, org, number, fact, kind, source, by, at)
     select 'fact_' || n, 'org_' || n, '${called}', 'consent', 'express', 'form', 'bench', now() from ${each}`,
    `insert into consent_standings (org, number, fact, ordinal) select org, number, fact, ordinal from consents`,
    `insert into keys (id, org, kind, label, env, scopes, created_by, created_at)
     select 'key_' || n, 'org_' || n, 'server', 'bench', 'production', '{app}', 'bench', now() from ${each}`,
    `insert into app_sockets (id, gateway, org, env, holder, key_id, connected_at)
     select 'app_' || n, (select id from gateways), 'org_' || n, 'production', '', 'key_' || n, now() from ${each}`,
    `insert into registrations (socket, agent, org, env, holder, app, declaration, fixed, offer)
     select 'app_' || n, 'desk', 'org_' || n, 'production', '', 'app', '{}', '{}', '{}' from ${each}`,
    `insert into dialling_policies (org, calling_hours, per_number_day)
     select 'org_' || n, null, 100 from ${each}`,
    `insert into dials (id, org, env, agent, kind, called, by, outcome, status, at)
     select 'dial_' || n || '_' || d, 'org_' || n, 'production', 'desk', 'dial', '+346000' || d, 'bench', 'taken', 202,
       now() - d * interval '10 minutes'
     from ${each}, generate_series(1, 100) as d`,
    'vacuum analyze',
  ])
    await pool.query(statement)
  const { rows } = await pool.query<{ id: string }>('select id from gateways')
  return rows[0]?.id ?? ''
}
