import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { refused } from '../../testing/client.ts'
import { mailboxAt, orgHost, startMailDeployment } from '../../testing/mail/mail-deployment.ts'
import { until } from '../../testing/until.ts'
import { statement } from '../database/database.ts'

const mail = await startMailDeployment()
after(() => mail[Symbol.asyncDispose]())
const { deployment, mailServer } = mail
const { anonymous, sql } = deployment

const more = (bigger: string, connectedApps: string) =>
  `the mailbox carries the sign-in links of every member, and ${bigger} holds more than you: ask ${connectedApps}`

test('a team key that holds less than a member does not have the links of that member sent to a mailbox of its own', async () => {
  const org = await deployment.newOrg()
  const [admin, manager] = [await org.person('admin'), await org.person('manager', { production: true })]
  const evil = await mailServer()
  const put = await manager.client.put('/v1/org/mail', mailboxAt(evil, orgHost))
  const invited = await admin.client.post('/v1/members', { email: 'boss@example.com', role: 'admin' })
  const stolen = invited.body.mailed ? (await evil.nextLetter()).text : ''
  assert.doesNotMatch(stolen, /\/invitations\//, "the manager reads the new admin's link")
  refused(put, 403, more(admin.email, admin.email))

  const own = await mailServer()
  assert.equal((await admin.client.put('/v1/org/mail', mailboxAt(own, orgHost))).status, 200)
  refused(await manager.client.delete('/v1/org/mail'), 403, more(admin.email, admin.email))
  assert.equal((await admin.client.get('/v1/org/mail')).body.port, own.port)
  assert.equal((await admin.client.delete('/v1/org/mail')).status, 204)
})

test('a server token changes the mailbox only when it holds what every member holds', async () => {
  const org = await deployment.newOrg()
  const admin = await org.person('admin')
  const { scopes } = (await admin.client.get('/v1/whoami')).body
  const mailbox = mailboxAt({ port: 25 }, orgHost)
  const sandbox = await org.serverToken('sandbox', { scopes })
  refused(await sandbox.client.put('/v1/org/mail', mailbox), 403, more(admin.email, admin.email))
  const production = await org.serverToken('production', { scopes })
  assert.equal((await production.client.in('production').put('/v1/org/mail', mailbox)).status, 200)
})

test('an operator who visits the org changes its mailbox', async () => {
  const org = await deployment.newOrg()
  await org.person('admin')
  const olga = await (await deployment.newOrg()).person('admin', { operator: true })
  const { key } = (await olga.client.post('/v1/login/org', { org: org.slug })).body
  assert.equal((await anonymous.as(key).put('/v1/org/mail', mailboxAt({ port: 25 }, orgHost))).status, 200)
  assert.equal((await anonymous.as(key).delete('/v1/org/mail')).status, 204)
})

test('a bigger member who joins while the mailbox is set is seen', async () => {
  const { database, orgs } = deployment.gateway.services
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  const org = await deployment.newOrg()
  const manager = await org.person('manager')
  const { setting } = await database.transaction(async (tx) => {
    await orgs.lock(tx, org.id)
    const asked = manager.client.put('/v1/org/mail', mailboxAt({ port: 25 }, orgHost))
    await until('the change waits for the org', async () => (await sql(waiting)).rowCount === 1)
    await tx.rows(statement(`insert into persons (email) values ('late@example.com')`))
    const join = statement(`
      insert into members (id, org, email, name, role, agents, status, operator, production, created_at)
      values ('mem_late', $1, 'late@example.com', 'Late', 'admin', '{}', 'invited', false, true, now())`)
    await tx.rows(join, org.id)
    return { setting: asked }
  })
  refused(await setting, 403, more('late@example.com', 'an operator of the platform'))
})
