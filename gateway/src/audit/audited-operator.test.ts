import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { auditActions } from '@switchroom/contract/audit'
import { AuditedDeployment, byOperator } from '../../testing/audit/audited-deployment.ts'
import {
  auditedRoutes,
  consequences,
  exemptRoutes,
  operatorRoutes,
} from '../../testing/audit/audited-routes.ts'
import { noLimit, password } from '../../testing/deployment.ts'
import { done } from '../../testing/agents/test-agents.ts'

const audited = await AuditedDeployment.start()
after(() => audited[Symbol.asyncDispose]())
const { deployment, anonymous, operator } = audited
const check = audited.audited.bind(audited)
const secret = audited.secret.bind(audited)

test('every route that changes something is audited or exempt with a reason, and none is both', () => {
  const changing = [...deployment.gateway.server.routes.all, ...deployment.gateway.dashboard.routes.all]
  const routes = new Set(changing.map(({ method, path }) => `${method} ${path}`))
  const reads = /^(?:GET|HEAD|OPTIONS) /
  const undecided = [...routes].filter(
    (route) => !reads.test(route) && !(route in auditedRoutes) && !(route in exemptRoutes),
  )
  assert.deepEqual(undecided, [], 'name its action in audited-routes.ts, or say why it has none')
  const both = Object.keys(auditedRoutes).filter((route) => route in exemptRoutes)
  const gone = [...Object.keys(auditedRoutes), ...Object.keys(exemptRoutes)].filter(
    (route) => !routes.has(route),
  )
  assert.deepEqual([both, gone], [[], []])
  const named = new Set([...Object.values(auditedRoutes).flat(), ...consequences])
  assert.deepEqual(
    auditActions.filter((action) => !named.has(action)),
    [],
  )
})

test("the operator's changes are recorded in the org they concern, or for the deployment", async () => {
  const slug = 'made-by-operator'
  const made = await check('POST /v1/ops/orgs', () => operator.post('/v1/ops/orgs', { slug }), {
    actor: byOperator,
    target: { kind: 'org', label: slug },
  })
  const { id } = made.body
  const at = `/v1/ops/orgs/${slug}`
  const by = { org: id, actor: byOperator }
  const target = { kind: 'org', id } as const
  await check('PUT /v1/ops/orgs/:org/quotas', () => operator.put(`${at}/quotas`, { ...noLimit, seats: 5 }), {
    ...by,
    target,
  })
  assert.deepEqual((await audited.trail.last('org.quotas_changed')).detail, {
    seats: { before: null, after: 5 },
  })
  const account = { plan: 'pro', subscribed: true, credits: 7 }
  await check('PUT /v1/ops/orgs/:org/account', () => operator.put(`${at}/account`, account), {
    ...by,
    target,
  })
  await check('PUT /v1/ops/orgs/:org/dialling', () => operator.put(`${at}/dialling`, { per_day: 9 }), {
    ...by,
    target,
  })
  const body = { email: 'boss@example.com', role: 'admin' }
  const invited = await check('POST /v1/ops/orgs/:org/members', () => operator.post(`${at}/members`, body), {
    ...by,
    target: { kind: 'member', label: body.email },
  })
  const { token, member } = invited.body
  done(await anonymous.post(`/v1/invitations/${secret(token)}`, { password }))
  await deployment.sql('update persons set verified = true where email = $1', [body.email])
  const boss = { kind: 'member', id: member.id, label: body.email } as const
  const flag = () => operator.put(`${at}/members/${member.id}/operator`, { operator: true })
  await check('PUT /v1/ops/orgs/:org/members/:id/operator', flag, { ...by, target: boss })
  const key = () => operator.post(`${at}/keys`, { label: 'fleet', env: 'sandbox' })
  secret(
    (await check('POST /v1/ops/orgs/:org/keys', key, { ...by, target: { kind: 'key', label: 'fleet' } })).body
      .key,
  )
  done(await operator.post(`${at}/members`, { email: 'second@example.com', role: 'admin' }))
  const second = done(await operator.get(`${at}/members`)).members[1].id
  const remove = () => operator.delete(`${at}/members/${second}`)
  await check('DELETE /v1/ops/orgs/:org/members/:id', remove, {
    ...by,
    target: { kind: 'member', id: second },
  })

  const platform = { org: null, actor: byOperator, target: { kind: 'platform' } } as const
  await check('PUT /v1/ops/brand', () => operator.put('/v1/ops/brand', { name: 'Acme' }), platform)
  const row = done(await operator.get('/v1/ops/providers'))
  await check('PUT /v1/ops/providers', () => operator.put('/v1/ops/providers', row), platform)
  await check('POST /v1/ops/vault/rotate', () => operator.post('/v1/ops/vault/rotate'), platform)
  await check('POST /v1/ops/retention', () => operator.post('/v1/ops/retention'), platform)
})

test('a person at the endpoints of the operator is named, as an operator', async () => {
  const { org } = await audited.newOrg()
  const person = await audited.person(await deployment.newOrg(), { operator: true })
  const limit = () => person.client.put(`/v1/ops/orgs/${org.slug}/quotas`, { ...noLimit, seats: 3 })
  await check('PUT /v1/ops/orgs/:org/quotas', limit, {
    org: org.id,
    actor: { kind: 'operator', subject: person.id, email: person.email, visiting: false },
    target: { kind: 'org', id: org.id },
  })
})

test('every action of these routes was seen above, and no secret is in the log', async () => {
  assert.deepEqual(audited.unseen(operatorRoutes), [])
  await audited.refuseSecretsInLog()
})
