import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Registry } from 'prom-client'
import { startDeployment } from '../../testing/deployment.ts'
import { gatewayAnswers } from './answers.ts'
import { makeServer } from './make-server.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { dashboard } = deployment.gateway
const { routes } = deployment.gateway.server
const { body: document } = await deployment.anonymous.get('/openapi.json')

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

test('the document describes exactly the routes there are', () => {
  const described = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((name) => name !== 'servers')
      .map((method) => `${method.toUpperCase()} ${path}`),
  )
  const every = [...routes.all, ...dashboard.routes.all]
  const shown = every.filter(({ method, schema }) => method !== 'HEAD' && !('hide' in schema))
  const registered = shown.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
  assert.deepEqual(described.toSorted(), registered.toSorted())
})

test("the dashboard's paths are in the document with the dashboard's address and refusals (SD-01, SD-02)", () => {
  const { servers, get } = document.paths['/api/models/access']
  assert.deepEqual(servers, [{ url: deployment.settings.dashboardUrl }])
  assert.deepEqual(get.tags, ['dashboard'])
  assert.deepEqual(Object.keys(get.responses).toSorted(), ['200', '400', '401', '403', '413', '503'])
  const refusal = get.responses['403'].content['application/json'].schema
  assert.deepEqual(refusal.required, ['error', 'code'])
  assert.equal('servers' in document.paths['/v1/whoami'], false)
})

test('the document says who may call, with what, and what is refused', async () => {
  const invite = document.paths['/v1/ops/orgs/{org}/members'].post
  assert.deepEqual(invite.security, [{ operatorKey: [] }])
  assert.deepEqual(Object.keys(invite.responses).toSorted(), [
    '201',
    '400',
    '401',
    '403',
    '404',
    '409',
    '413',
    '422',
    '429',
    '503',
  ])
  assert.deepEqual(invite.requestBody.content['application/json'].schema.required, ['email'])
  assert.deepEqual(document.paths['/.well-known/svc'].get.security, [])
  assert.equal(document.info.version, (await deployment.gateway.services.discovery.read()).version)
})

test("the document says where the fleet's key is taken, and how it names an org (SD-39)", () => {
  const { security, description, parameters } = document.paths['/v1/agents/{agent}/provider-keys'].get
  assert.deepEqual(security, [{ key: [] }, { fleetKey: [] }])
  assert.equal(
    description,
    "Takes a server token that opens `app`, or the fleet's key.\n\nA server token only when its maker held `providers` when they made it and holds it now.",
  )
  const places = parameters.map(
    (parameter: { in: string; name: string }) => `${parameter.in} ${parameter.name}`,
  )
  assert.deepEqual(places.toSorted(), ['header svc-org', 'path agent', 'query for_call'])
  assert.match(
    document.paths['/v1/agents/{agent}/config'].get.description,
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
