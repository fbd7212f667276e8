import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { password, startDeployment } from '../../testing/deployment.ts'

const deployment = await startDeployment({ SVC_LOG_LEVEL: 'trace' })
after(() => deployment[Symbol.asyncDispose]())

test('no key, token, password, query or body is in any log line or in the database in the clear (I-012, I-013, I-049, ID-10, T-91)', async () => {
  const { operator, anonymous, sql, log } = deployment
  const org = await deployment.newOrg()
  const invited = await operator.post(`/v1/ops/orgs/${org.slug}/members`, { email: 'secretive@example.com' })
  await anonymous.post(`/v1/invitations/${invited.body.token}`, { password: 'x' })
  await anonymous.get(`/invitations/${invited.body.token}?login=lc_of-somebody`)
  const accepted = await anonymous.post(`/v1/invitations/${invited.body.token}`, { password })
  const token = await org.serverToken('production')
  await anonymous.as(accepted.body.key).get(`/v1/whoami?hunter2=hunter2`)
  await anonymous.get(`/cli?c=cli_of-somebody`)
  await token.client.get('/v1/ops/whoami')

  const secrets = [
    invited.body.token,
    accepted.body.key,
    token.key,
    password,
    'hunter2',
    'lc_of-somebody',
    'cli_of-somebody',
  ]
  const tables = await sql(`select table_name from information_schema.tables where table_schema = 'public'`)
  let dump = ''
  for (const { table_name } of tables.rows)
    dump += JSON.stringify((await sql(`select t::text from ${table_name} t`)).rows)
  const lines = log()
  for (const secret of secrets) {
    assert.equal(lines.includes(secret), false, 'a secret is in the log')
    assert.equal(dump.includes(secret), false, 'a secret is in the database')
  }
  for (const { path } of [
    { path: `/v1/ops/orgs/${org.slug}/members` },
    { path: `/v1/ops/orgs/${org.slug}` },
  ]) {
    const { text } = await operator.get(path)
    for (const secret of secrets) assert.equal(text.includes(secret), false, `a secret is in ${path}`)
  }
  assert.ok(lines.includes('"route":"/v1/invitations/:token"'))
})
