import assert from 'node:assert/strict'
import { createCipheriv, randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { startDeployment, type Deployment } from '../../../testing/deployment.ts'
import { whileHeld } from '../../../testing/calls/spoken-calls.ts'
import { done } from '../../../testing/agents/test-agents.ts'
import { Vault } from '../../foundation/sealing.ts'
import { sealedColumns } from './sealed-columns.ts'

const [older, newer] = [Buffer.alloc(32, 7), Buffer.alloc(32, 8)]
const both = [newer, older].map((key) => key.toString('base64')).join()
const onlyNewer = newer.toString('base64')

/** Bytes that are not sealed: digests, and what is kept of a code. */
const unsealed = new Set([
  'recordings.peaks',
  'knowledge_documents.digest',
  'knowledge_documents.read_digest',
  'knowledge_chunks.digest',
  'chat_tokens.digest',
  'login_codes.browser',
  'pairings.collect',
  'keys.digest',
  'invitations.digest',
  'rate_counts.subject',
  'login_codes.digest',
  'pairings.digest',
  'sso_sign_ins.digest',
  'sso_sign_ins.browser',
  'sign_ups.code_mac',
  'phone_codes.digest',
  'log_tokens.digest',
  'browser_calls.digest',
])

/** A deployment whose first gateway sealed with the older key, and runs no more. */
async function sealedBefore(fill: (deployment: Deployment) => Promise<void> = async () => {}) {
  const deployment = await startDeployment()
  await fill(deployment)
  await deployment.gateway.stop()
  const open: Deployment[] = []
  after(async () => {
    for (const gateway of open) await gateway[Symbol.asyncDispose]()
    await deployment.database.drop()
  })
  return async (keys: string) => {
    const gateway = await deployment.another({ SVC_VAULT_KEY: keys })
    open.push(gateway)
    return gateway
  }
}

/** As values were sealed before they named their key. */
function sealedOnce(secret: string, place: string): Buffer {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', older, nonce).setAAD(Buffer.from(place))
  const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

const rotate = async ({ operator }: Deployment) => done(await operator.post('/v1/ops/vault/rotate'))
const stateOf = async ({ operator }: Deployment) => done(await operator.get('/v1/ops/vault'))

/** A row of each column with a sealed value, and a hundred keys that orgs brought. */
async function fillAll({ sql, newOrg }: Deployment) {
  const { id: org } = await newOrg()
  const before = new Vault(older)
  const values = (table: string, key: Record<string, string>) => {
    const column = sealedColumns.find((each) => each.table === table)
    assert.ok(column, table)
    return before.seal(`secret of ${table}`, column.place(key))
  }
  await sql(
    `insert into mailboxes (owner, host, port, security, password, "from", kept_at)
     values ($1, 'mail', 25, 'tls', $2, 'a@b', now())`,
    [org, values('mailboxes', { owner: org })],
  )
  await sql(
    `insert into letters (id, owner, letter, due_at, expires_at)
     values ('let_1', $1, $2, now() + interval '1 day', now() + interval '2 days')`,
    [org, values('letters', { id: 'let_1' })],
  )
  await sql(
    `insert into identity_providers (org, issuer, client_id, client_secret, required)
     values ($1, 'https://idp.example', 'client', $2, false)`,
    [org, values('identity_providers', { org })],
  )
  const digest = randomBytes(32)
  await sql(
    `insert into sso_sign_ins (digest, org, issuer, browser, secrets, expires_at)
     values ($2, $1, 'https://idp.example', '', $3, now() + interval '1 day')`,
    [org, digest, values('sso_sign_ins', { digest: digest.toString('hex') })],
  )
  await sql(
    `insert into environment_provider_keys (org, env, vendor, sealed) values ($1, 'sandbox', 'v', $2)`,
    [org, values('environment_provider_keys', { org, env: 'sandbox', vendor: 'v' })],
  )
  await sql(
    `insert into model_endpoints (org, env, name, base_url, wire, model, sealed, created_at, changed_at, tried_at)
     values ($1, 'sandbox', 'n', 'https://llm.example', 'chat', 'm', $2, now(), now(), now())`,
    [org, values('model_endpoints', { org, env: 'sandbox', name: 'n' })],
  )
  await sql(
    `insert into webhook_endpoints (id, org, env, url, description, sealed, created_at, changed_at)
     values ('whk_1', $1, 'sandbox', 'https://hooks.example', '', $2, now(), now())`,
    [org, values('webhook_endpoints', { id: 'whk_1' })],
  )
  await sql(
    `insert into knowledge_bases (id, org, env, base, description, created_at, changed_at)
     values ('base_1', $1, 'sandbox', 'b', '', now(), now())`,
    [org],
  )
  await sql(
    `insert into knowledge_documents (id, base, org, env, name, format, source, sealed, state, created_at, changed_at)
     values ('doc_1', 'base_1', $1, 'sandbox', 'd', 'html', 'url', $2, 'ready', now(), now())`,
    [org, values('knowledge_documents', { id: 'doc_1' })],
  )
  await sql(
    `insert into carrier_accounts (org, account, kind, label, sealed, created_at)
     values ($1, 'sip_1', 'sip', 'x', $2, now())`,
    [org, values('carrier_accounts', { org, account: 'sip_1' })],
  )
  await sql(
    `insert into outbound_credentials (org, account, host, username, password) values ($1, 'sip_1', 'h', 'u', $2)`,
    [org, values('outbound_credentials', { org, account: 'sip_1' })],
  )
  await sql(
    `insert into fences (name, scope, networks, numbers, pair, fleet)
     values ('f', 's', '{10.0.0.0/8}', '{+1}', $1, 'sandbox')`,
    [values('fences', { name: 'f' })],
  )
  await sql(`insert into agents (org, slug, created_at) values ($1, 'desk', now())`, [org])
  await sql(
    `insert into calls (id, org, agent, env, holder, channel, opened_at, settings, canary)
     values ('call_sealed', $1, 'desk', 'sandbox', '', 'phone', now(), '[]', false)`,
    [org],
  )
  await sql(
    `insert into placement_offers (call, org, env, sealed, offered_at)
     values ('call_sealed', $1, 'sandbox', $2, now())`,
    [org, values('placement_offers', { call: 'call_sealed' })],
  )
  await sql(
    `insert into trunk_test_offers (id, org, env, sealed, offered_at) values ('test_sealed', $1, 'sandbox', $2, now())`,
    [org, values('trunk_test_offers', { id: 'test_sealed' })],
  )
  for (let n = 0; n < 100; n += 1) {
    const place = `provider_keys:sealed:${org}:vendor-${n}` as const
    const secret = 'secret of provider_keys'
    const sealed = n % 2 === 0 ? sealedOnce(secret, place) : before.seal(secret, place)
    await sql('insert into provider_keys (org, vendor, sealed) values ($1, $2, $3)', [
      org,
      `vendor-${n}`,
      sealed,
    ])
  }
}

/** What every sealed value holds, by its table, opened with the newer key alone. */
async function secretsIn({ sql }: Deployment): Promise<Map<string, string[]>> {
  const alone = new Vault(newer)
  const found = new Map<string, string[]>()
  for (const { table, column, key, place } of sealedColumns) {
    const keys = Object.entries(key).map(([name, text]) => `${text} as "key_${name}"`)
    const { rows } = await sql(`select ${column} as value, ${keys.join(', ')} from ${table}`)
    const opened = rows.map(({ value, ...names }) => {
      const named = Object.entries(names).map(([name, text]) => [name.slice(4), String(text)])
      return alone.open(value, place(Object.fromEntries(named)))
    })
    found.set(table, opened)
  }
  return found
}

test('every column of bytes is either listed as sealed or known to be none', async () => {
  await using deployment = await startDeployment()
  const { rows } = await deployment.sql(
    `select table_name || '.' || column_name as name from information_schema.columns
     where table_schema = 'public' and data_type = 'bytea'`,
  )
  const listed = sealedColumns.map(({ table, column }) => `${table}.${column}`)
  const held = rows.map(({ name }) => String(name)).filter((name) => !unsealed.has(name))
  assert.deepEqual(held.toSorted(), ['deployment.vault_check', ...listed].toSorted())
})

test('the vault key is changed while two gateways serve and write, and no secret is lost', async () => {
  const another = await sealedBefore(fillAll)
  const gateways = [await another(both), await another(both)] as const
  const [first, second] = gateways
  const org = await first.newOrg()
  const { key } = await org.person('admin')
  const rotated = new AbortController()
  const written = new Map<string, string>()
  const write = async (vendor: string) => {
    for (let n = 0; !rotated.signal.aborted; n += 1) {
      const at = gateways[n % 2] ?? first
      const client = at.anonymous.as(key)
      done(await client.put(`/v1/provider-keys/${vendor}`, { key: `${vendor} ${n}` }))
      written.set(vendor, `${vendor} ${n}`)
    }
  }
  const writers = ['openai', 'deepgram', 'cartesia'].map(write)
  const answers = await Promise.all([rotate(first), rotate(second), rotate(first), rotate(second)])
  rotated.abort()
  await Promise.all(writers)
  const last = await rotate(first)
  assert.deepEqual([last.finished, last.left, last.gateways, last.unreadable], [true, 0, 0, []])
  const resealed = answers.reduce((sum, answer) => sum + answer.resealed, 0)
  assert.equal(resealed, 113, 'each value once')

  for (const gateway of gateways) await gateway[Symbol.asyncDispose]()
  const alone = await another(onlyNewer)
  const secrets = await secretsIn(alone)
  for (const { table } of sealedColumns)
    assert.equal(secrets.get(table)?.includes(`secret of ${table}`), true, table)
  assert.equal(secrets.get('provider_keys')?.length, 103)
  for (const value of written.values())
    assert.ok(
      secrets.get('provider_keys')?.some((each) => each.includes(`"${value}"`)),
      value,
    )
  assert.deepEqual((await stateOf(alone)).finished, true)
  const wrong = "SVC_VAULT_KEY does not open this deployment's secrets"
  for (const refused of [older, Buffer.alloc(32, 9)])
    await assert.rejects(another(refused.toString('base64')), { message: wrong })
})

test('a secret that is written while its old value is sealed again stays as it was written', async () => {
  const another = await sealedBefore(fillAll)
  const gateway = await another(both)
  const { sql } = gateway
  const { rows } = await sql(`select org from provider_keys where vendor = 'vendor-7'`)
  const place = `provider_keys:sealed:${rows[0].org}:vendor-7` as const
  const fresh = gateway.gateway.services.vault.seal('a newer secret', place)
  let rotation: Promise<unknown> | undefined
  const hold = `select from provider_keys where vendor = $1 for update`
  await whileHeld(gateway, hold, 'vendor-7', 1, async (held) => {
    rotation = rotate(gateway)
    await held.areWaiting()
    await held.query(`update provider_keys set sealed = $2 where vendor = $1`, ['vendor-7', fresh])
  })
  await rotation
  const kept = (await sql(`select sealed from provider_keys where vendor = 'vendor-7'`)).rows[0].sealed
  assert.equal(new Vault(newer).open(kept, place), 'a newer secret')
  assert.equal((await rotate(gateway)).finished, true)
})

test('before everything is sealed again no gateway starts with one of the two keys alone', async () => {
  const another = await sealedBefore()
  const sentence =
    'SVC_VAULT_KEY is one of the two keys that this deployment is sealed with while its key is changed: give both, as new,old'
  const gateway = await another(both)
  assert.deepEqual((await stateOf(gateway)).finished, false)
  for (const key of [older, newer])
    await assert.rejects(another(key.toString('base64')), { message: sentence })
  assert.equal((await rotate(gateway)).finished, true)
  await another(onlyNewer)
})

test('the change is not finished while a gateway runs that seals with the older key', async () => {
  const another = await sealedBefore()
  const behind = await another([older, newer].map((key) => key.toString('base64')).join())
  const ahead = await another(both)
  const { finished, left, gateways } = await rotate(ahead)
  assert.deepEqual([finished, left, gateways], [false, 0, 1])
  await behind[Symbol.asyncDispose]()
  assert.equal((await rotate(ahead)).finished, true)
})

test('a value that no key opens is named, stays as it is and keeps the change from finishing', async () => {
  const another = await sealedBefore(async ({ sql, newOrg }) => {
    await sql(`insert into provider_keys (org, vendor, sealed) values ($1, 'broken', 'nothing')`, [
      (await newOrg()).id,
    ])
  })
  const gateway = await another(both)
  const answer = await rotate(gateway)
  assert.deepEqual([answer.finished, answer.left, answer.unreadable], [false, 1, ['provider_keys.sealed']])
  assert.equal((await gateway.sql('select sealed from provider_keys')).rows[0].sealed.toString(), 'nothing')
  await gateway.sql('delete from provider_keys')
  assert.equal((await rotate(gateway)).finished, true)
})

test('only the operator changes the vault key', async () => {
  await using deployment = await startDeployment()
  const { client } = await (await deployment.newOrg()).person('admin')
  assert.equal((await client.get('/v1/ops/vault')).status, 403)
  assert.equal((await client.post('/v1/ops/vault/rotate')).status, 403)
})
