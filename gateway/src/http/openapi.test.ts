import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { knobs } from '@switchroom/contract/knobs'
import { refusalCodeNames } from '@switchroom/contract/refusal-codes'
import { Registry } from 'prom-client'
import { startDeployment } from '../../testing/deployment.ts'
import { DescribedApi } from '../../testing/http/described-api.ts'
import { gatewayAnswers } from './answers.ts'
import { makeServer } from './make-server.ts'
import { operationNames, tags } from './operation-names.ts'

const deployment = await startDeployment({ SVC_VOICE_URL: 'https://voice.switchroom.test' })
after(() => deployment[Symbol.asyncDispose]())
const { dashboard } = deployment.gateway
const { routes } = deployment.gateway.server
const api = await DescribedApi.read(deployment.anonymous)
const workers = await DescribedApi.read(deployment.anonymous, '/openapi-workers.json')
const { document } = api
const everyOperation = [...api.operations, ...workers.operations]

/** Paths of what this version does not have, where each method says so. */
const unbuilt = new Set(['/v1/login/social', '/v1/login/social/callback', '/v1/ops/signin/social'])

test('every route declares its access, its schemas and the refusals it can answer', () => {
  for (const { method, path, access, schema } of routes.all) {
    const name = `${method} ${path}`
    const statuses = Object.keys(schema.response ?? {})
    assert.ok(access, `${name} declares no access`)
    const alwaysRefuses = unbuilt.has(path)
    assert.ok(
      statuses.some((status) => /^[123]/.test(status)) || alwaysRefuses,
      `${name} documents no success`,
    )
    if (access.kind !== 'open')
      assert.ok(
        ['401', '403'].every((status) => statuses.includes(status)),
        `${name} documents no refusal`,
      )
    if (schema.body) assert.ok(statuses.includes('422'), `${name} takes a body and documents no 422`)
    for (const parameter of path.matchAll(/:(\w+)/g)) {
      const properties = (schema.params as { properties?: object } | undefined)?.properties ?? {}
      assert.ok(
        String(parameter[1]) in properties || 'hide' in schema,
        `${name} does not describe ${parameter[0]}`,
      )
    }
    if (path.startsWith('/v1/')) assert.ok('summary' in schema, `${name} has no summary`)
  }
})

test('a route without an access cannot be registered', () => {
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
  assert.throws(() => server.get('/v1/open', {} as never, async () => ({})), {
    message: 'GET /v1/open declares no access',
  })
})

test('the two documents describe exactly the routes there are, but for what is a socket alone', () => {
  const described = everyOperation.map(({ method, path }) => `${method.toUpperCase()} ${path}`)
  const every = [...routes.all, ...dashboard.routes.all]
  const shown = every.filter(
    ({ method, path, schema }) => method !== 'HEAD' && !('hide' in schema) && path !== '/v1/chat',
  )
  const registered = shown.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
  assert.deepEqual(described.toSorted(), registered.toSorted())
})

test('every operation has a name and a tag in the table, no two the same name, and the table names no others', () => {
  const named = Object.entries(operationNames).flatMap(([tag, names]) =>
    Object.entries(names).map(([route, id]) => `${route.replaceAll(/:(\w+)/g, '{$1}')} ${id} ${tag}`),
  )
  const described = everyOperation.map(
    ({ method, path, operationId, tags: [tag] }) => `${method.toUpperCase()} ${path} ${operationId} ${tag}`,
  )
  assert.deepEqual(described.toSorted(), named.toSorted())
  const ids = everyOperation.map(({ operationId }) => operationId)
  assert.deepEqual([...new Set(ids)].toSorted(), ids.toSorted())
  for (const id of ids) assert.match(id, /^[a-z][A-Za-z]+$/)
  for (const { tags: listed } of [document, workers.document])
    for (const { name, description } of listed) assert.equal(tags[name as keyof typeof tags], description)
})

test('what workers and voice servers ask is in a document of its own', () => {
  const paths = Object.keys(document.paths)
  assert.ok(!paths.some((path) => /^\/v1\/(?:worker|voice)\//.test(path)), paths.join(' '))
  assert.deepEqual(
    workers.document.tags.map(({ name }: { name: string }) => name),
    ['Workers', 'Voice server'],
  )
  assert.match(
    document.info.description,
    /`\/openapi-workers\.json`.+`https:\/\/voice\.switchroom\.test\/openapi\.json`/,
  )
})

test('bodies and answers are named schemas, and no schema has a keyword that OpenAPI 3.1 does not know', () => {
  for (const { operationId, requestBody, responses } of everyOperation) {
    const bodies = [requestBody?.content, ...Object.values(responses).map(({ content }) => content)]
    for (const content of bodies)
      for (const [type, { schema }] of Object.entries(content ?? {}))
        if (type === 'application/json' && !('additionalProperties' in schema))
          assert.ok(schema.$ref, `${operationId} has a schema without a name: ${JSON.stringify(schema)}`)
  }
  for (const { paths, components } of [document, workers.document])
    assert.doesNotMatch(JSON.stringify([paths, components]), /"(?:nullable|means|title)":/)
})

test('numbers and flags in queries, sets of words and settings have their real types', () => {
  const typeOf = (id: string, name: string) =>
    api.operation(id).parameters?.find((parameter) => parameter.name === name)?.schema
  assert.deepEqual(typeOf('listCalls', 'limit'), { type: 'integer', minimum: 1, maximum: 100, default: 50 })
  assert.deepEqual(typeOf('listCallEvents', 'after'), { type: 'integer', minimum: 0, default: 0 })
  assert.deepEqual(typeOf('importNumber', 'dry_run'), { type: 'boolean' })
  assert.deepEqual(typeOf('listCalls', 'state'), { type: 'string', enum: ['open', 'held', 'ended'] })
  const counted = everyOperation.flatMap(({ operationId, parameters = [] }) =>
    parameters
      .filter(({ name }) => name === 'limit' || name === 'turns')
      .map(({ schema }) => [operationId, schema?.['type']]),
  )
  assert.ok(counted.length > 5)
  for (const [id, type] of counted) assert.equal(type, 'integer', String(id))

  const { SetSettings, SettingsRow, AgentConfig, Refused } = document.components.schemas
  for (const { properties } of [SetSettings, SettingsRow])
    assert.equal(properties.config.$ref, '#/components/schemas/AgentConfig')
  assert.deepEqual(Object.keys(AgentConfig.properties), [...knobs])
  assert.equal(AgentConfig.properties.max_duration_s.type, 'integer')
  assert.deepEqual(AgentConfig.properties.end_of_turn.enum, ['stt', 'framework', 'smart-turn'])
  assert.deepEqual(AgentConfig.properties.hangup.required, ['when'])
  assert.deepEqual(Refused.properties.code.enum, refusalCodeNames)
})

test('svc-env is a parameter wherever a key acts in an environment', () => {
  const environment = { $ref: '#/components/parameters/Environment' }
  const takes = (id: string) =>
    api.operation(id).parameters?.some(({ $ref }) => $ref === environment.$ref) ?? false
  assert.deepEqual(['whoami', 'listMembers', 'createOrg', 'signIn'].map(takes), [true, true, false, false])
  assert.deepEqual(document.components.parameters.Environment.schema, {
    type: 'string',
    enum: ['sandbox', 'production'],
    default: 'sandbox',
  })
})

test("the dashboard's paths are in the document with the dashboard's address and refusals (SD-01, SD-02)", () => {
  const { servers, tags: listed, responses } = api.operation('checkModelAccess')
  assert.deepEqual(
    servers?.map(({ url }) => url),
    [deployment.settings.dashboardUrl],
  )
  assert.deepEqual(listed, ['Billing'])
  assert.deepEqual(Object.keys(responses).toSorted(), ['200', '400', '401', '403', '413', '503'])
  assert.equal(
    responses['403']?.content?.['application/json']?.schema.$ref,
    '#/components/schemas/CodedRefusal',
  )
  assert.deepEqual(document.components.schemas.CodedRefusal.required, ['error', 'code'])
  assert.equal(api.operation('whoami').servers, undefined)
})

test('the document says who may call, with what, and what is refused', async () => {
  const invite = api.operation('inviteOrgMember')
  assert.deepEqual(invite.security, [{ operatorKey: [] }])
  assert.deepEqual(
    Object.keys(invite.responses).toSorted(),
    '201 400 401 403 404 409 413 422 429 503'.split(' '),
  )
  assert.deepEqual(document.components.schemas.InviteAsOperator.required, ['email'])
  assert.deepEqual(api.operation('discover').security, [])
  assert.equal(document.info.version, (await deployment.gateway.services.discovery.read()).version)
})

test("the document says where the fleet's key is taken, and how it names an org (SD-39)", () => {
  const { security, description, parameters = [] } = workers.operation('getCallCredentials')
  assert.deepEqual(security, [{ key: [] }, { fleetKey: [] }])
  assert.equal(
    description,
    "Takes a server token that opens `app`, or the fleet's key.\n\nA server token only when its maker held `providers` when they made it and holds it now.",
  )
  const places = parameters.map(({ in: place, name, $ref }) => $ref ?? `${place} ${name}`)
  assert.deepEqual(places.toSorted(), [
    '#/components/parameters/Environment',
    'header svc-org',
    'path agent',
    'query for_call',
  ])
  assert.match(
    workers.operation('getAgentConfig').description,
    /^Takes a key that opens `app`, or the fleet's\.$/,
  )
})

test('the reference page is served with its parts and a policy that forbids inline scripts', async () => {
  const { anonymous } = deployment
  const page = await anonymous.get('/docs')
  assert.match(page.headers.get('content-security-policy') ?? '', /script-src 'self';/)
  for (const [, path] of page.text.matchAll(/(?:src|href)="(\/docs\/[^"]+)"/g))
    assert.equal((await anonymous.get(String(path))).status, 200, path)
  assert.equal((await anonymous.get('/docs/../package.json')).status, 404)
  assert.equal((await anonymous.get('/docs/csp.json')).status, 404)
})
