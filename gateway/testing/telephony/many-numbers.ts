import { Vault } from '../../src/foundation/sealing.ts'
import { placeOf } from '../../src/telephony/carriers/accounts.ts'

type Sql = (text: string, values?: unknown[]) => Promise<unknown>

export interface ManyNumbers {
  orgs: number
  numbersOfOrg: number
  vaultKey: Buffer
}

const peer = { kind: 'sip', username: 'peer', password: 'a-word-of-the-peer', networks: ['203.0.113.7'] }

/**
 * Orgs `org_m1` and on, with numbers that no media plane was asked to admit yet: of every ten, two come through a SIP
 * peer of the org, one is pointed here by the org from a network of its own, and seven come through the first carrier
 * of the catalogue. Every tenth is in the sandbox.
 */
export async function insertManyNumbers(sql: Sql, { orgs, numbersOfOrg, vaultKey }: ManyNumbers) {
  const vault = new Vault(vaultKey)
  const ids = Array.from({ length: orgs }, (_, n) => `org_m${n + 1}`)
  const sealed = ids.map((org) => vault.seal(JSON.stringify(peer), placeOf(org, 'peer')))
  await sql(
    `insert into orgs (id, slug, name, quotas, created_at)
     select org, replace(org, '_', '-'), 'Org', '{}', now() from unnest($1::text[]) as org`,
    [ids],
  )
  await sql(
    `insert into agents (org, slug, created_at) select org, 'a1', now() from unnest($1::text[]) as org`,
    [ids],
  )
  await sql(
    `insert into carrier_accounts (org, account, kind, label, sealed, networks, created_at)
     select org, 'peer', 'sip', 'peer', sealed, '{203.0.113.7}', now()
     from unnest($1::text[], $2::bytea[]) as account (org, sealed)`,
    [ids, sealed],
  )
  await sql(
    `insert into networks (id, org, network, state, asked_at)
     select 'net_' || org || network, org, network, 'approved', now()
     from unnest($1::text[]) as org, unnest(array['203.0.113.7', '203.0.113.9']) as network`,
    [ids],
  )
  await sql(
    `insert into numbers (number, org, env, agent, origin, account, networks, approved_at, created_at)
     select '+1' || lpad((at * $2 + n)::text, 10, '0'), org, case when n % 10 = 0 then 'sandbox' else 'production' end,
       'a1', case when n % 10 = 3 then 'hooked' else 'imported' end, case when n % 10 in (1, 2) then 'peer' end,
       case when n % 10 = 3 then array['203.0.113.9'] else '{}' end, now(), now()
     from unnest($1::text[]) with ordinality as owner (org, at), generate_series(1, $2::int) as n`,
    [ids, numbersOfOrg],
  )
}
