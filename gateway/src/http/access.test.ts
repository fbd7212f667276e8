import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  environments,
  roles,
  scopes,
  scopesOfRole,
  serverTokenScopes,
  type Environment,
  type Scope,
} from '@switchroom/contract/scopes'
import { Registry } from 'prom-client'
import { Type } from 'typebox'
import { Client, refused } from '../../testing/client.ts'
import { fleetKey, operatorKey, startDeployment } from '../../testing/deployment.ts'
import { newSecret } from '../foundation/secrets.ts'
import {
  anyKey,
  appOrFleet,
  callReader,
  fleetOnly,
  open,
  operator,
  openingWorker,
  person,
  personScope,
  scope,
  settingsScope,
  worker,
  type Access,
} from './access.ts'
import { gatewayAnswers } from './answers.ts'
import { makeServer } from './make-server.ts'
import type { Route } from './routes.ts'

/** What a credential is, in the terms of the documents; the code under test is not asked. */
interface Credential {
  name: string
  key?: string
  opens?: 'nothing' | 'ops' | 'work'
  /** The org it names beside its key. */
  namedOrg?: string
  kind?: 'person' | 'server'
  env?: Environment
  scopes?: readonly Scope[]
  production?: boolean
  operator?: boolean
}

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const credentials: Credential[] = []

before(async () => {
  const { sql, newOrg } = deployment
  const org = await newOrg()
  const add = (credential: Credential) => credentials.push(credential)

  add({ name: 'none', opens: 'nothing' })
  add({ name: 'invented', key: newSecret('svc_live_'), opens: 'nothing' })
  add({ name: 'fleet for an org', key: fleetKey, opens: 'work', namedOrg: org.slug })
  add({ name: 'fleet without an org', key: fleetKey, opens: 'work' })
  add({ name: "the platform's own key", key: operatorKey, opens: 'ops' })

  const revoked = await org.person('admin')
  await sql('update keys set revoked_at = now() where member = $1', [revoked.id])
  add({ name: 'revoked', key: revoked.key, opens: 'nothing' })
  const soon = new Date(Date.now() + 60_000).toISOString()
  const expired = await org.serverToken('sandbox', { expires_at: soon })
  await sql(`update keys set expires_at = now() - interval '1 second' where id = $1`, [expired.key_id])
  add({ name: 'expired', key: expired.key, opens: 'nothing' })

  for (const env of environments) {
    const { key } = await org.serverToken(env)
    add({ name: `${env} server token`, key, kind: 'server', env, scopes: serverTokenScopes })
  }
  for (const role of roles)
    for (const production of [true, false]) {
      if (role === 'admin' && !production) continue // an admin always opens production
      const { key } = await org.person(role, { production })
      const name = `${role} ${production ? 'with' : 'without'} production`
      add({ name, key, kind: 'person', scopes: scopesOfRole[role], production })
    }
  const { key } = await org.person('qa', { operator: true, production: true })
  const qa = { kind: 'person', scopes: scopesOfRole.qa, production: true } as const
  add({ name: 'a person made operator', key, ...qa, operator: true })
})

/** The status the declared access gives this credential, or undefined when it lets it pass. */
function refusalOf(
  access: Access,
  path: string,
  credential: Credential,
  env: Environment | undefined,
): number | undefined {
  if (access.kind === 'open') return undefined
  if (access.kind === 'signUp') return 404 // shut
  if (credential.opens === 'nothing') return 401
  if (credential.opens === 'ops') return access.kind === 'operator' ? undefined : 401
  const isForWorkers = access.kind === 'worker' || access.kind === 'appOrFleet'
  const isOrgNamed = credential.namedOrg !== undefined || (access.kind === 'worker' && access.isOrgInBody)
  if (credential.opens === 'work') {
    if (access.kind === 'fleet') return undefined
    if (!isForWorkers && access.kind !== 'scopeOrWorker') return 401
    if (isOrgNamed) return undefined
    return path.includes('/:call') ? 404 : 400 // an unknown call names no org
  }
  if (credential.kind === 'server' && env !== undefined && env !== credential.env) return 403
  if (credential.kind === 'person' && env === 'production' && !credential.production) return 403
  if (access.kind === 'fleet') return 403
  if (access.kind === 'operator') return credential.operator ? undefined : 403
  const isAppToken = credential.kind === 'server' && credential.scopes?.includes('app')
  if ((access.kind === 'settingsScope' || access.kind === 'scopeOrWorker') && isAppToken) return undefined
  const isForPersons = access.kind === 'person' || access.kind === 'personScope'
  if (isForPersons && credential.kind !== 'person') return 403
  if (access.kind === 'worker' && credential.kind !== 'server') return 403
  const isWritten = 'vendorKeys' in access && access.vendorKeys === 'write'
  if (isWritten && credential.kind === 'person')
    return credential.scopes?.includes('providers') ? undefined : 403
  const wanted = 'anyOf' in access ? access.anyOf : isForWorkers ? (['app'] as const) : undefined
  return !wanted || wanted.some((name) => credential.scopes?.includes(name)) ? undefined : 403
}

const refusalOfAccess = /this key|this door|this token|no production access|doors are shut|takes an API key/

/** Asks every route as every credential in every environment, and compares. */
async function walk(anonymous: Client, routes: readonly Route[]) {
  const cases = credentials.flatMap((credential) =>
    [undefined, ...environments].map((env) => ({ credential, env })),
  )
  for (const route of routes)
    for (const some of inBatches(cases)) {
      await Promise.all(some.map(({ credential, env }) => ask(anonymous, route, credential, env)))
      if (route.socketAccess)
        await Promise.all(some.map(({ credential, env }) => askSocket(anonymous, route, credential, env)))
    }
}

/** Fewer at once than the gateway has connections to its database, so that none waits for one. */
function inBatches<Item>(items: readonly Item[], size = 15): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  )
}

function clientOf(anonymous: Client, credential: Credential, env: Environment | undefined): Client {
  const named =
    credential.namedOrg === undefined ? anonymous : anonymous.with({ 'svc-org': credential.namedOrg })
  const client = credential.key === undefined ? named : named.as(credential.key)
  return env ? client.in(env) : client
}

/** A refused socket is never opened, and is answered as a request would be, by its access or by a rule behind it. */
async function askSocket(
  anonymous: Client,
  route: Route,
  credential: Credential,
  env: Environment | undefined,
) {
  const opened = await clientOf(anonymous, credential, env).open(route.path)
  const asked = `a socket at ${route.path} as ${credential.name} in ${env ?? 'no environment'}`
  const expected = refusalOf(route.socketAccess ?? open, route.path, credential, env)
  if (!('readyState' in opened)) {
    if (expected !== undefined) assert.equal(opened.status, expected, asked)
    else assert.ok(![401, 403, 500].includes(opened.status), `${asked}: ${opened.status} ${opened.text}`)
    return assert.deepEqual(Object.keys(JSON.parse(opened.text)), ['detail', 'code'], asked)
  }
  assert.equal(expected, undefined, asked)
  opened.terminate()
}

/** Open to every page, whose bearer is the token of its call and no key. */
const takesParticipants = ({ method, path }: Route) =>
  method !== 'OPTIONS' && method !== 'POST' && ['/v1/rtc', '/v1/rtc/events'].includes(path)

async function ask(anonymous: Client, route: Route, credential: Credential, env: Environment | undefined) {
  const { method, path, access } = route
  const client = clientOf(anonymous, credential, env)
  const answer = await client.send(method, path.replaceAll(/:\w+/g, 'nobody'))
  const { status, text } = answer
  const asked = `${method} ${path} as ${credential.name} in ${env ?? 'no environment'}: ${status} ${text.slice(0, 200)}`
  const expected = takesParticipants(route) ? 401 : refusalOf(access, path, credential, env)
  if (expected !== undefined) assert.equal(status, expected, asked)
  else assert.ok(status !== 401 && !(status === 403 && refusalOfAccess.test(text)), asked)
  assert.notEqual(status, 500, asked)
}

test('every route answers every kind of credential in every environment as its access declares (I-007, I-009, I-019, I-451, I-470, I-494, ID-05, ID-32, ID-34, T-22, T-59, T-60)', async () => {
  await walk(deployment.anonymous, deployment.gateway.server.routes.all)
})

test("the dashboard's routes answer every kind of credential as their access declares (S-283, S-367, SD-63, SD-64, ST-108)", async () => {
  await walk(deployment.dashboard, deployment.gateway.dashboard.routes.all)
})

// A server as it ships, with a route for every access there is, whether or not a feature uses it yet.
async function probeServer() {
  const { settings, authentication, fleet, agentOfCall, logger } = deployment.gateway.services
  const server = makeServer({
    settings,
    authentication,
    fleet,
    agentOfCall,
    logger,
    metrics: new Registry(),
    answers: gatewayAnswers,
  })
  const kinds: Record<string, Access> = {
    open,
    any: anyKey,
    person,
    operator,
    'person-app': personScope('app'),
    'words-or-pipeline': scope('words', 'pipeline'),
    settings: settingsScope('pipeline'),
    'calls-or-worker': callReader,
    'calls-or-worker/:call': callReader,
    worker,
    'opening-worker': openingWorker,
    'app-or-fleet': appOrFleet,
    fleet: fleetOnly,
    ...Object.fromEntries(scopes.map((name) => [name, scope(name)])),
  }
  for (const [name, access] of Object.entries(kinds))
    server.get(
      `/v1/probe/${name}`,
      { access, schema: { response: { 200: Type.Object({}) } } },
      async () => ({}),
    )
  after(() => server.close())
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  return { routes: server.routes.all, anonymous: new Client(url, server.routes) }
}

test('every kind of access admits the callers that it names and no others (I-014, I-018, I-467, I-494, ID-32, ID-46)', async () => {
  const { routes, anonymous } = await probeServer()
  await walk(anonymous, routes)
})

test('a refusal for a scope names what is wanted and what the key opens (I-494, ID-49, ID-89)', async () => {
  const { anonymous } = await probeServer()
  const org = await deployment.newOrg()
  const qa = anonymous.as((await org.person('qa')).key)
  const token = anonymous.as((await org.serverToken('sandbox')).key)
  refused(await qa.get('/v1/probe/team'), 403, 'this key does not open team: it opens calls · evals')
  refused(
    await qa.get('/v1/probe/words-or-pipeline'),
    403,
    'this key does not open words or pipeline: it opens calls · evals',
  )
  refused(await token.get('/v1/probe/person'), 403, "this door takes a person's key")
  refused(await token.get('/v1/probe/person-app'), 403, "this door takes a person's key")
})

test('of an unset operator key the doors of the operator are shut for every key (ID-33, ID-05)', async () => {
  await using shut = await deployment.another({ SVC_OPERATOR_KEY: '' })
  const sentence = "the operator's doors are shut on this deployment: set SVC_OPERATOR_KEY"
  const operators = shut.gateway.server.routes.all.filter(
    ({ access, method }) => access.kind === 'operator' && method !== 'HEAD',
  )
  assert.ok(operators.length > 5)
  for (const { method, path } of operators)
    for (const key of [operatorKey, 'invented']) {
      const answer = await shut.anonymous.as(key).send(method, path.replaceAll(/:\w+/g, 'nobody'))
      assert.deepEqual([answer.status, answer.body], [404, { detail: sentence, code: 'NOT_FOUND' }])
    }
})
