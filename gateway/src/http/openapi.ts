import swagger from '@fastify/swagger'
import { Type } from 'typebox'
import { version } from '../foundation/version.ts'
import { open, type Access } from './access.ts'
import type { Server } from './server.ts'

/** Describes every route from the schemas that validate and serialise it. Registered before the routes. */
export async function describeRoutes(server: Server, baseUrl: string) {
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Switchroom',
        version,
        description:
          'Every refusal is `{"detail": "<sentence>"}` with its status, and `{"error": "<sentence>", "code": "<CODE>"}` on the dashboard. The header `svc-env` names the environment: `sandbox` (the default) or `production`.',
      },
      servers: [{ url: baseUrl }],
      components: {
        securitySchemes: {
          key: { type: 'http', scheme: 'bearer', description: "a person's key or a server token" },
          operatorKey: {
            type: 'http',
            scheme: 'bearer',
            description: "the operator's key, or the key of a person made operator",
          },
          fleetKey: {
            type: 'http',
            scheme: 'bearer',
            description:
              "the key of the platform's own workers, for the org that `svc-org` or a known call names",
          },
        },
      },
    },
    transform: ({ schema, url, route }) => ({
      url,
      schema: {
        ...schema,
        ...securityOf(route.access),
        tags: [tagOf(url)],
        description: describe(route.access, route.socketAccess, schema),
      },
    }),
  })
}

/** The document is built once, from the routes as they are when the server is ready. */
export function openApiRoutes(server: Server, dashboard: Server) {
  const AnyDocument = Type.Unsafe<object>({ type: 'object', additionalProperties: true })
  server.get(
    '/openapi.json',
    { access: open, schema: { summary: 'This interface, as OpenAPI', response: { 200: AnyDocument } } },
    async () => withPathsOf(dashboard, server.swagger()),
  )
}

/** A path of another listener is in the same document, with that listener's address. */
function withPathsOf(other: Server, document: { paths?: object }): object {
  const { paths = {}, servers }: { paths?: object; servers?: object } = other.swagger()
  const others = Object.entries(paths).map(([path, item]) => [path, { servers, ...item }])
  return { ...document, paths: { ...document.paths, ...Object.fromEntries(others) } }
}

const keyed = { security: [{ key: [] }] }

const keyedOrFleet = { security: [{ key: [] }, { fleetKey: [] }] }

const securityOfKind: Partial<Record<Access['kind'], { security: Record<string, string[]>[] }>> = {
  open: { security: [] },
  operator: { security: [{ operatorKey: [] }] },
  scopeOrWorker: keyedOrFleet,
  appOrFleet: keyedOrFleet,
  worker: keyedOrFleet,
  fleet: { security: [{ fleetKey: [] }] },
}

const securityOf = ({ kind }: Access) => securityOfKind[kind] ?? keyed

const accessInWords: Record<Access['kind'], (access: Access) => string> = {
  open: () => 'Takes no key.',
  key: () => 'Takes any key.',
  person: () => "Takes a person's key.",
  scope: (access) => `Takes a key that opens ${scopesOf(access)}.`,
  personScope: (access) => `Takes a person's key that opens ${scopesOf(access)}.`,
  settingsScope: (access) =>
    `Takes a key that opens ${scopesOf(access)}, or a server token that opens \`app\`.`,
  scopeOrWorker: (access) =>
    `Takes a key that opens ${scopesOf(access)}, a server token that opens \`app\`, the fleet's key, or the call's log token.`,
  appOrFleet: () => "Takes a key that opens `app`, or the fleet's.",
  worker: () => "Takes a server token that opens `app`, or the fleet's key.",
  fleet: () => "Takes the fleet's key.",
  operator: () => "Takes the operator's key.",
  signUp: () => 'Takes no key, or the sign-up key if the operator set one.',
}

const ofMaker = 'A server token only when its maker held `providers` when they made it and holds it now.'

const scopesOf = (access: Access) =>
  'anyOf' in access ? access.anyOf.map((scope) => `\`${scope}\``).join(' or ') : ''

function describe(
  access: Access,
  socketAccess: Access | undefined,
  schema: { description?: string } | undefined,
) {
  const maker = 'vendorKeys' in access && access.vendorKeys && ofMaker
  const asSocket = socketAccess && `As a WebSocket: ${accessInWords[socketAccess.kind](socketAccess)}`
  return [schema?.description, accessInWords[access.kind](access), maker, asSocket]
    .filter(Boolean)
    .join('\n\n')
}

/** `/v1/ops/orgs/{org}` is listed under ops, `/v1/members` under members, `/api` under the dashboard. */
function tagOf(url: string): string {
  const [first, second] = url.split('/').slice(1)
  if (first === 'api') return 'dashboard'
  return first === 'v1' && second ? second : 'deployment'
}
