import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { environments } from '@switchroom/contract/scopes'
import { migratedDatabase } from '../../../testing/databases.ts'
import { startDeployment, startOn, type Deployment } from '../../../testing/deployment.ts'
import { GatewayProcess } from '../../../testing/gateway-process.ts'
import { insertManyNumbers } from '../../../testing/telephony/many-numbers.ts'
import { until } from '../../../testing/until.ts'
import { lentLockSessions } from '../../database/lent-lock-sessions.ts'
import { longestLockWaitMs, NumberLocks, orgLock } from './number-locks.ts'
import { Reconciliation } from './reconciliation.ts'

const orgs = 40
const many = { orgs, numbersOfOrg: 50, vaultKey: Buffer.alloc(32, 7) }
const fencesOfOrg = 1 + 1 + 5 + 1 // the catalogue's, the peer's, one each of a network of its own, and the sandbox's
const orgIds = Array.from({ length: orgs }, (_, n) => `org_m${n + 1}`)

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { sql, gateway } = deployment
const { services } = gateway
await services.tasks.stop(services.reconciliationTask) // so that only what a test begins runs
await insertManyNumbers(sql, many)

/** What a gateway does when it has started; one of them after the other is without memory of the one before. */
async function reconcile({ gateway: { services: of }, clock, settings } = deployment) {
  const reconciliation = new Reconciliation({
    database: of.database,
    clock,
    logger: of.logger,
    locks: new NumberLocks(lentLockSessions(of.database, longestLockWaitMs)),
    planes: of.planes,
    admission: of.admission,
    batches: of.batchAdmission,
    approvals: of.hookedApprovals,
    settings: settings.telephony,
  })
  reconciliation.begin()
  await reconciliation.poll(new AbortController().signal)
}

/** Every row that an admission writes, with the transaction that wrote it. */
async function rows() {
  const { rows: found } = await sql(`
    select 'number' as what, number as id, xmin::text, org, admitted_at::text as more from numbers
    union all select 'fence', name, xmin::text, split_part(scope, '/', 1), array_to_string(numbers, ' ') from fences
    union all select 'due', org, xmin::text, org, asked::text from admissions_due
    union all select 'version', env || version, xmin::text, '', mark::text from fence_versions
    order by 1, 2`)
  return found as { what: string; id: string; xmin: string; org: string; more: string | null }[]
}

/** Compares each org on its own, under no batch, with what the media plane and the rows say. */
async function assertAllAdmitted({ gateway: { services: of } }: Deployment, ids = orgIds) {
  for (const org of ids)
    for (const env of environments) {
      const drawn = await of.admission.draw({ org, env })
      const { fences, rule } = await of.admission.preview(drawn)
      assert.deepEqual([...new Set([...fences.values(), rule])], ['stands'], `${org} ${env}`)
      const { rows: said } = await sqlOf(of)(
        `select number from numbers where org = $1 and env = $2 and admitted_at is not null order by number`,
        [org, env],
      )
      const wanted = drawn.wanted.fences.flatMap(({ numbers }) => numbers)
      assert.deepEqual(
        said.map(({ number }) => number),
        wanted.toSorted(),
      )
    }
}
const sqlOf = (of: typeof services) => (text: string, values?: unknown[]) =>
  of.database.pool.query(text, values)

/** How many statements the work takes, those of the locks aside. */
async function statementsOf(work: () => Promise<void>): Promise<number> {
  const { database } = services
  const { rows: ask, row } = database
  let count = 0
  Object.assign(database, {
    rows: (...asked: Parameters<typeof ask>) => (count++, ask(...asked)),
    row: (...asked: Parameters<typeof row>) => (count++, row(...asked)),
  })
  await work().finally(() => Object.assign(database, { rows: ask, row }))
  return count
}

test('the numbers of many orgs are admitted in few statements, and when nothing changed the next start writes nothing', async () => {
  const first = await statementsOf(() => reconcile())
  assert.ok(first < 40, `${first} statements for ${orgs} orgs`)
  await assertAllAdmitted(deployment)
  const before = await rows()
  assert.equal(before.filter(({ what }) => what === 'fence').length, orgs * fencesOfOrg)
  const second = await statementsOf(() => reconcile())
  assert.ok(second < 20, `${second} statements for ${orgs} orgs`)
  assert.deepEqual(await rows(), before)
})

test('what differs is admitted, and of orgs where nothing differs nothing is written', async () => {
  const before = await rows()
  const numbersOf = (org: string) => before.filter((row) => row.what === 'number' && row.org === org)
  const [moved] = numbersOf('org_m9')
  await sql(`delete from fences where name = 'org_m1/production/apicarrier'`)
  await sql(`update fences set numbers = numbers[2:] where name = 'org_m2/production/apicarrier'`)
  await sql(
    `update fences set numbers = array_append(numbers, '+15550000000') where name = 'org_m3/sandbox/apicarrier'`,
  )
  await sql(`update fences set fleet = 'another' where name = 'org_m4/production/sip/peer'`)
  await sql(`update fences set pair = null where name = 'org_m5/production/sip/peer'`)
  await sql(`update numbers set admitted_at = null where org = 'org_m6'`)
  await sql(`update networks set state = 'refused' where org = 'org_m7' and network = '203.0.113.9'`)
  await sql(`insert into admissions_due (org, since) values ('org_m8', now())`)
  await sql(`update numbers set org = 'org_m10' where number = $1`, [moved?.id])
  await sql(`delete from numbers where org = 'org_m11'`)
  await sql(`
    insert into fences (name, scope, networks, numbers, fleet)
    values ('org_gone/production/apicarrier', 'org_gone/production', '{203.0.113.9}', '{+15550000001}', 'main')`)
  await reconcile()
  await assertAllAdmitted(deployment)
  const mended = await rows()
  const untouched = (all: typeof before) =>
    all.filter(({ org, what }) => what !== 'version' && Number(/^org_m(\d+)$/.exec(org)?.[1]) > 11)
  assert.deepEqual(untouched(mended), untouched(before))
  assert.deepEqual(
    mended.filter(({ org, what }) => what === 'due' || org === 'org_gone' || org === 'org_m11'),
    [],
  )
  await reconcile()
  assert.deepEqual(await rows(), mended)
})

test('an org whose account does not open is none of the others’ concern, nor is one that another still keeps a number of', async () => {
  const { rows: kept } = await sql(`select sealed from carrier_accounts where org = 'org_m12'`)
  const { rows: taken } = await sql(
    `select number from numbers where org = 'org_m12' and account is null limit 1`,
  )
  await sql(`update carrier_accounts set sealed = '' where org = 'org_m12'`)
  await sql(`update numbers set org = 'org_m13' where number = $1`, [taken[0].number])
  await sql(`delete from fences where scope like 'org_m14/%' or scope like 'org_m15/%'`)
  await reconcile()
  await assertAllAdmitted(
    deployment,
    orgIds.filter((org) => org !== 'org_m12' && org !== 'org_m13'),
  )
  const { rows: due } = await sql('select org from admissions_due order by org')
  assert.deepEqual(due, [{ org: 'org_m12' }, { org: 'org_m13' }])
  assert.match(deployment.log(), /the numbers of an org are not admitted yet/)
  await sql(`update carrier_accounts set sealed = $1 where org = 'org_m12'`, [kept[0].sealed])
  await reconcile()
  await assertAllAdmitted(deployment)
  assert.equal((await sql('select from admissions_due')).rows.length, 0)
})

test('an org whose numbers are being changed is waited for, and keeps none of the others waiting', async () => {
  const elsewhere = new NumberLocks(lentLockSessions(services.database, longestLockWaitMs))
  await sql(`delete from fences`)
  const changing = Promise.withResolvers<void>()
  const changed = elsewhere.withLocks([orgLock('org_m20')], async () => {
    await changing.promise
    await sql(`update numbers set env = 'sandbox' where org = 'org_m20'`)
  })
  const running = reconcile()
  await until('all others are admitted', async () => {
    const { rows: found } = await sql(`
      select (select count(distinct split_part(scope, '/', 1))::int from fences) as admitted,
        (select count(distinct org)::int from numbers) as wanted`)
    return found[0].admitted === found[0].wanted - 1
  })
  const { rows: waiting } = await sql(`select from fences where scope like 'org_m20/%'`)
  assert.equal(waiting.length, 0)
  changing.resolve()
  await changed
  await running
  await assertAllAdmitted(deployment)
  const { rows: fences } = await sql(`select distinct scope from fences where scope like 'org_m20/%'`)
  assert.deepEqual(fences, [{ scope: 'org_m20/sandbox' }])
})

test('numbers that change while two gateways compare and admit are admitted as they are in the end', async () => {
  const other = await deployment.another()
  await other.gateway.services.tasks.stop(other.gateway.services.reconciliationTask)
  const over = new AbortController()
  const compare = async (at: Deployment) => {
    while (!over.signal.aborted) await reconcile(at)
  }
  const change = async (writer: number) => {
    for (let round = 0; round < 8; round += 1) {
      const org = `org_m${21 + ((writer * 3 + round) % 10)}`
      const at = round % 2 ? deployment : other
      const locks = at.gateway.services.numberLocks
      if (writer === 0) await sql(`delete from fences where scope = $1`, [`${org}/production`])
      // As every change of the tables: under the org's lock, with a request that another gateway finds if this one dies.
      await locks.withLocks([orgLock(org)], async () => {
        await sql(
          `update numbers set env = case env when 'sandbox' then 'production' else 'sandbox' end
           where org = $1 and number like '%' || $2::text`,
          [org, String(round)],
        )
        await sql(
          `insert into admissions_due as due (org, since) values ($1, now())
           on conflict (org) do update set asked = due.asked + 1`,
          [org],
        )
        if (round % 3) await at.gateway.services.admission.apply(org)
      })
    }
  }
  const comparing = [compare(deployment), compare(other)]
  await Promise.all([0, 1, 2].map(change))
  over.abort()
  await Promise.all(comparing)
  await reconcile()
  await assertAllAdmitted(deployment)
  assert.equal((await sql('select from admissions_due')).rows.length, 0)
})

test('of gateways that start at once on numbers nobody admitted yet, one that is killed in the middle leaves nothing half done, and the others write each fence once', async () => {
  const database = await migratedDatabase()
  await using first = await startOn(database, {})
  await first.gateway.services.tasks.stop(first.gateway.services.reconciliationTask)
  await insertManyNumbers(first.sql, many)
  const client = await first.gateway.services.database.pool.connect()
  await client.query(
    `begin; select pg_advisory_xact_lock(hashtextextended('fences of the embedded plane', 0))`,
  )
  const dying = await GatewayProcess.start({ database }, {})
  await until('it is about to write fences', async () => {
    const { rows: found } = await client.query(
      `select from pg_locks where locktype = 'advisory' and not granted
       and database = (select oid from pg_database where datname = current_database())`,
    )
    return found.length > 0
  })
  await dying.kill()
  await client.query('rollback')
  client.release()
  const others = await Promise.all([first.another(), first.another()])
  const ended = () =>
    first.sql(`
      select (select count(*)::int from fences) as fences, (select count(*)::int from fence_changes) as changes,
        (select count(*)::int from numbers where admitted_at is null) as unadmitted`)
  await until('all are admitted', async () => (await ended()).rows[0].unadmitted === 0)
  await assertAllAdmitted(first)
  for (const { clock } of others) clock.forward(60_000)
  const expected = { fences: orgs * fencesOfOrg, changes: orgs * fencesOfOrg, unadmitted: 0 }
  assert.deepEqual((await ended()).rows, [expected])
})
