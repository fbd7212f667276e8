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
          'Every refusal is `{"detail": "<sentence>"}` with its status. The header `svc-env` names the environment: `sandbox` (the default) or `production`.',
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
        },
      },
    },
    transform: ({ schema, url, route }) => ({
      url,
      schema: {
        ...schema,
        ...securityOf(route.access),
        tags: [tagOf(url)],
        description: describe(route.access, schema),
      },
    }),
  })
}

/** The document is built once, from the routes as they stand when the server is ready. */
export function openApiRoutes(server: Server) {
  const AnyDocument = Type.Unsafe<object>({ type: 'object', additionalProperties: true })
  server.get(
    '/openapi.json',
    { access: open, schema: { summary: 'This interface, as OpenAPI', response: { 200: AnyDocument } } },
    async () => server.swagger(),
  )
}

const keyed = { security: [{ key: [] }] }

const securityOf = (access: Access) =>
  access.kind === 'open'
    ? { security: [] }
    : access.kind === 'operator'
      ? { security: [{ operatorKey: [] }] }
      : keyed

const accessInWords: Record<Access['kind'], (access: Access) => string> = {
  open: () => 'Takes no key.',
  key: () => 'Takes any key.',
  person: () => "Takes a person's key.",
  scope: (access) => `Takes a key that opens ${scopesOf(access)}.`,
  personScope: (access) => `Takes a person's key that opens ${scopesOf(access)}.`,
  operator: () => "Takes the operator's key.",
  signUp: () => 'Takes no key, or the key of the page in front where the operator set one.',
}

const scopesOf = (access: Access) =>
  'anyOf' in access ? access.anyOf.map((scope) => `\`${scope}\``).join(' or ') : ''

function describe(access: Access, schema: { description?: string } | undefined) {
  return [schema?.description, accessInWords[access.kind](access)].filter(Boolean).join('\n\n')
}

/** `/v1/ops/orgs/{org}` is listed under ops, `/v1/members` under members, the rest under the deployment. */
function tagOf(url: string): string {
  const [first, second] = url.split('/').slice(1)
  return first === 'v1' && second ? second : 'deployment'
}
