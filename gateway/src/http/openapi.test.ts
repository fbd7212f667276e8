import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Registry } from 'prom-client'
import { startDeployment } from '../../testing/deployment.ts'
import { makeServer } from './make-server.ts'

const deployment = await startDeployment()
after(() => deployment[Symbol.asyncDispose]())
const { routes } = deployment.gateway.server
const { body: document } = await deployment.nobody.get('/openapi.json')

test('every route declares its access, its schemas and the refusals it can answer', () => {
  for (const { method, path, access, schema } of routes.all) {
    const name = `${method} ${path}`
    const statuses = Object.keys(schema.response ?? {})
    assert.ok(access, `${name} declares no access`)
    const alwaysRefuses = statuses.includes('503') // what this version does not have says so
    assert.ok(
      statuses.some((status) => /^[23]/.test(status)) || alwaysRefuses,
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
  const { settings, authentication, logger } = deployment.gateway.services
  const server = makeServer({ settings, authentication, logger, metrics: new Registry() })
  assert.throws(() => server.get('/v1/open', {} as never, async () => ({})), {
    message: 'GET /v1/open declares no access',
  })
})

test('the document describes exactly the routes there are', () => {
  const described = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const shown = routes.all.filter(({ method, schema }) => method !== 'HEAD' && !('hide' in schema))
  const registered = shown.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
  assert.deepEqual(described.toSorted(), registered.toSorted())
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
  ])
  assert.deepEqual(invite.requestBody.content['application/json'].schema.required, ['email'])
  assert.deepEqual(document.paths['/.well-known/svc'].get.security, [])
  assert.equal(document.info.version, (await deployment.gateway.services.discovery.read()).version)
})

test('the reference page is served with its parts and a policy that forbids inline scripts', async () => {
  const { nobody } = deployment
  const page = await nobody.get('/docs')
  assert.match(page.headers.get('content-security-policy') ?? '', /script-src 'self';/)
  for (const [, path] of page.text.matchAll(/(?:src|href)="(\/docs\/[^"]+)"/g))
    assert.equal((await nobody.get(String(path))).status, 200, path)
  assert.equal((await nobody.get('/docs/../package.json')).status, 404)
  assert.equal((await nobody.get('/docs/csp.json')).status, 404)
})
