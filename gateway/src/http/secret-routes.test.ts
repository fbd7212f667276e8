import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Scope } from '@switchroom/contract/scopes'
import type { Client } from '../../testing/client.ts'
import { fleetKey, operatorKey, startDeployment, type TestOrg } from '../../testing/deployment.ts'
import { done, TestAgent } from '../../testing/agents/test-agents.ts'
import type { Route } from './routes.ts'
import {
  decisionOf,
  secretFieldsOf,
  secretRoutes,
  type Credential,
} from '../../testing/http/secret-routes.ts'

const deployment = await startDeployment({
  SVC_SIGNUP: '1',
  SVC_SMTP_URL: 'smtp://127.0.0.1:9',
  SVC_MAIL_FROM: 'platform@example.com',
})
after(() => deployment[Symbol.asyncDispose]())

const { gateway } = deployment
const servers = [
  { anonymous: deployment.anonymous, routes: gateway.server.routes.all },
  { anonymous: deployment.dashboard, routes: gateway.dashboard.routes.all },
]
const nameOf = ({ method, path }: Route) => `${method} ${path}`

const planted = {
  vendor: 'sk-planted-vendor-secret',
  carrier: 'planted-carrier-secret',
  mailbox: 'planted-mailbox-secret',
  provider: 'planted-provider-secret',
}

let org: TestOrg
let agent: TestAgent
/** The headers of each credential. */
const headers = new Map<Credential, Record<string, string>>()

before(async () => {
  org = await deployment.newOrg()
  const admin = await org.person('admin')
  await plantSecrets(admin.client)
  const add = (name: Credential, key: string, more = {}) =>
    headers.set(name, { authorization: `Bearer ${key}`, ...more })

  headers.set('nobody', {})
  add('invented key', 'svc_live_invented')
  add('admin', admin.key)
  add('developer', (await org.person('developer', { production: false })).key)
  add('narrowed developer', (await org.person('developer', { agents: ['other'] })).key)
  add('manager', (await org.person('manager')).key)
  add('qa', (await org.person('qa')).key)
  add('supervisor', (await org.person('supervisor')).key)
  add('admin of another org', (await (await deployment.newOrg()).person('admin')).key)
  add("developer's token", await tokenOf(await org.person('developer', { production: false })))
  add("admin's token", await tokenOf(admin))
  add("admin's token without app", await tokenOf(admin, ['calls', 'talk']))
  add('fleet', fleetKey, { 'svc-org': org.slug })
  add('operator key', operatorKey)
})

async function tokenOf(person: { client: Client }, scopes?: Scope[]): Promise<string> {
  const body = { label: 'worker', env: 'sandbox', ...(scopes && { scopes }) }
  return done(await person.client.post('/v1/keys', body)).key
}

/** One secret of every kind that the org keeps. */
async function plantSecrets(admin: Client) {
  done(await admin.put('/v1/provider-keys/openai', { key: planted.vendor }))
  agent = new TestAgent((await org.serverToken('sandbox')).client)
  await agent.keepUnjudged(deployment, { llm: 'openai/gpt-4.1-mini' })
  done(
    await admin.put('/v1/carrier', {
      kind: 'sip',
      username: 'peer',
      password: planted.carrier,
      addresses: ['8.8.8.0/24'],
      outbound_host: 'sip.peer.example',
    }),
  )
  const mailbox = { host: 'mail.example.com', port: 587, security: 'starttls', username: 'org' }
  done(await admin.put('/v1/org/mail', { ...mailbox, password: planted.mailbox, from: 'a@example.com' }))
  const { vault } = gateway.services
  await deployment.sql(
    `insert into identity_providers (org, issuer, client_id, client_secret, required)
     values ($1, 'https://idp.example', 'client', $2, false)`,
    [org.id, vault.seal(planted.provider, `identity_providers:client_secret:${org.id}`)],
  )
}

const pathOf = ({ path }: Route) =>
  path
    .replace(':org', org.slug)
    .replace(':agent', agent.slug)
    .replace(':vendor', 'openai')
    .replaceAll(/:\w+|\*/g, 'nobody')

test('every route whose shapes name a secret is decided, and nothing is decided for a route that is gone', () => {
  const named = servers.flatMap(({ routes }) => routes).filter((route) => route.method !== 'HEAD')
  const undecided = named.flatMap((route) => {
    const fields = secretFieldsOf(route)
    return fields.length > 0 && !decisionOf(nameOf(route)) ? [`${nameOf(route)}: ${fields.join(', ')}`] : []
  })
  assert.deepEqual(undecided, [], 'decide in testing/secret-routes.ts which credentials open these')
  const existing = new Set(named.map(nameOf))
  assert.deepEqual(
    Object.keys(secretRoutes).filter((name) => !existing.has(name)),
    [],
  )
})

test('a route that answers or changes a secret opens to the decided credentials and to no other', async () => {
  for (const { anonymous, routes } of servers)
    for (const route of routes) {
      const decision = decisionOf(nameOf(route))
      if (decision?.opens === undefined) continue
      const opened: Credential[] = []
      for (const [name, own] of headers) {
        const { status, text } = await anonymous
          .with(own)
          .send(route.method, pathOf(route), decision.body?.())
        assert.notEqual(status, 500, `${nameOf(route)} as ${name}: ${text}`)
        if (![401, 403].includes(status) && !(status === 404 && route.path.startsWith('/v1/ops')))
          opened.push(name)
      }
      assert.deepEqual(opened.toSorted(), decision.opens.toSorted(), nameOf(route))
    }
})

test('a route that asks for no key takes a secret of its own, and an invented one opens nothing', async () => {
  for (const { anonymous, routes } of servers)
    for (const route of routes) {
      const decision = decisionOf(nameOf(route))
      if (decision?.proof === undefined) continue
      const { status, text } = await anonymous.send(route.method, pathOf(route), decision.body?.())
      assert.ok(status >= 400 && status < 500, `${nameOf(route)}: ${status} ${text}`)
    }
})

test('of all that can be read, a kept secret is in the answers that were decided and in no other', async () => {
  const found: string[] = []
  for (const { anonymous, routes } of servers)
    for (const route of routes.filter(({ method }) => method === 'GET'))
      for (const [name, own] of headers) {
        const { text } = await anonymous.with(own).get(pathOf(route))
        for (const [kind, secret] of Object.entries(planted))
          if (text.includes(secret)) found.push(`${nameOf(route)} tells ${name} the secret of a ${kind}`)
      }
  const decided = Object.entries(secretRoutes).flatMap(([route, { reveals = {} }]) =>
    Object.entries(reveals).flatMap(([kind, names = []]) =>
      names.map((name) => `${route} tells ${name} the secret of a ${kind}`),
    ),
  )
  assert.deepEqual(found.toSorted(), decided.toSorted())
})
