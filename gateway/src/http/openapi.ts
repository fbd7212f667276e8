import { declaredSchemas } from '@switchroom/contract/openapi/declared-schemas'
import { openApiDocument, type Operation } from '@switchroom/contract/openapi/document'
import { environments } from '@switchroom/contract/scopes'
import { Refused } from '@switchroom/contract/shapes'
import { Type } from 'typebox'
import { version } from '../foundation/version.ts'
import { open, type Access } from './access.ts'
import { accessInWords, securityOf, securitySchemes } from './documented-access.ts'
import { examples } from './operation-examples.ts'
import { nameOfRoute, tags } from './operation-names.ts'
import type { Route } from './routes.ts'
import type { Server } from './server.ts'

export interface ApiAddresses {
  baseUrl: string
  dashboardUrl: string
  voiceUrl: string | undefined
}

const workersPath = '/openapi-workers.json'

/** The descriptions are made when they are first asked for, from the routes as they are then. */
export function openApiRoutes(server: Server, dashboard: Server, addresses: ApiAddresses) {
  const AnyDocument = Type.Unsafe<object>({ type: 'object', additionalProperties: true })
  const documents = new Map<string, object>()
  const paths = {
    '/openapi.json': { summary: 'This interface, as OpenAPI', make: mainDocument },
    [workersPath]: { summary: 'What workers and voice servers ask, as OpenAPI', make: workersDocument },
  }
  for (const [path, { summary, make }] of Object.entries(paths))
    server.get(path, { access: open, schema: { summary, response: { 200: AnyDocument } } }, async () => {
      const document = documents.get(path) ?? make(server, dashboard, addresses)
      documents.set(path, document)
      return document
    })
}

function mainDocument(server: Server, dashboard: Server, addresses: ApiAddresses) {
  const elsewhere = { servers: [{ url: addresses.dashboardUrl, description: 'the dashboard' }] }
  return openApiDocument({
    ...shared(addresses),
    title: 'Switchroom',
    description: aboutRefusals + aboutOthers(addresses.voiceUrl),
    operations: [
      ...shown(server)
        .filter((route) => !isForWorkers(route))
        .map(operationOf),
      ...shown(dashboard).map((route) => ({ ...operationOf(route), ...elsewhere })),
    ],
  })
}

function workersDocument(server: Server, _dashboard: Server, addresses: ApiAddresses) {
  return openApiDocument({
    ...shared(addresses),
    title: 'Switchroom for workers',
    description: `What workers and voice servers ask of the gateway. ${aboutRefusals}`,
    operations: shown(server).filter(isForWorkers).map(operationOf),
  })
}

const aboutRefusals =
  'Every refusal is `{"detail": "<sentence>", "code": "<CODE>"}` with its status, and `{"error": "<sentence>", "code": "<CODE>"}` on the dashboard. '

const aboutOthers = (voiceUrl: string | undefined) =>
  [
    'The header `svc-env` names the environment: `sandbox` (the default) or `production`.',
    'Two paths are opened as WebSockets and are not listed here: `/v1/apps`, by which an app holds agents, and `/v1/chat`.',
    `What workers ask is described at \`${workersPath}\`, speech without a call at \`${voiceUrl ?? 'SVC_VOICE_URL'}/openapi.json\`.`,
  ].join(' ')

const shared = ({ baseUrl }: ApiAddresses) => ({
  version,
  servers: [{ url: baseUrl, description: 'this deployment' }],
  tags,
  securitySchemes,
  parameters: { Environment },
  names: declaredSchemas(),
})

const Environment = {
  name: 'svc-env',
  in: 'header',
  description: 'The environment of the request. A server token has one, and needs none named.',
  schema: { type: 'string', enum: environments, default: 'sandbox' },
}

/** A path that is a socket and nothing else has no answer that OpenAPI could describe. */
const shown = ({ routes }: Server) =>
  routes.all.filter(
    ({ method, schema }) =>
      method !== 'HEAD' &&
      schema.hide !== true &&
      !('101' in answersOf(schema) && !('200' in answersOf(schema))),
  )

const answersOf = ({ response }: Route['schema']) => (response ?? {}) as Record<string, object>

/** Opened by the fleet's key, or by the token of an app that runs its calls itself. */
const isForWorkers = ({ access }: Route) =>
  access.kind === 'worker' || access.kind === 'fleet' || access.kind === 'appOrFleet'

function operationOf({ method, path, access, socketAccess, schema }: Route): Operation {
  const { id, tag } = nameOfRoute(method, path)
  const { 101: _, ...answers } = answersOf(schema)
  const hasRefusal = Object.keys(answers).some((status) => status.startsWith('4'))
  const body: object | undefined = schema.body ?? schema.describedBody
  const example = examples[id]
  return {
    id,
    tag,
    method,
    path: path.replaceAll(/:(\w+)/g, '{$1}'),
    ...(schema.summary !== undefined && { summary: schema.summary }),
    description: describe(access, socketAccess, schema.description),
    security: securityOf(access),
    params: schema.params as object | undefined,
    querystring: schema.querystring as object | undefined,
    headers: schema.headers as object | undefined,
    ...(isInEnvironment(access) && { shared: ['Environment'] }),
    ...(body && { body }),
    ...(example !== undefined && { example }),
    responses: hasRefusal ? answers : { ...answers, 400: Refused },
  }
}

const isInEnvironment = ({ kind }: Access) =>
  kind !== 'open' && kind !== 'operator' && kind !== 'signUp' && kind !== 'fleet'

const ofMaker = 'A server token only when its maker held `providers` when they made it and holds it now.'

function describe(access: Access, socketAccess: Access | undefined, own: string | undefined) {
  const maker = 'vendorKeys' in access && access.vendorKeys && ofMaker
  const asSocket = socketAccess && `As a WebSocket: ${accessInWords(socketAccess)}`
  return [own, accessInWords(access), maker, asSocket].filter(Boolean).join('\n\n')
}
