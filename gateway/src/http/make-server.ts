import type { IncomingMessage } from 'node:http'
import fastify, { LogController, type FastifyBaseLogger } from 'fastify'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { clientAddress } from '@switchroom/process/client-address'
import { capConnections, serverOptions, SlowBodies } from '@switchroom/process/connection-limits'
import type { Registry } from 'prom-client'
import { newId } from '../foundation/secrets.ts'
import type { Settings } from '../foundation/settings.ts'
import type { Authentication } from './authentication.ts'
import type { Fleet } from './fleet.ts'
import { answerBrokenRequests, answerFailures, answerUnknown, nulInUrl, type Answers } from './failures.ts'
import { guardRoutes } from './guard.ts'
import { readJsonBodies } from './json-body.ts'
import { refuseMisspelt } from './misspelt-fields.ts'
import type { AgentOfCall } from './narrowing.ts'
import { observeRequests } from './observation.ts'
import { Routes } from './routes.ts'
import type { Server } from './server.ts'
import { serializerOf, validatorOf } from './shape-checks.ts'
import { isSocketRequest } from './sockets.ts'
import { traceRequests } from './traced-requests.ts'

const bodyLimitBytes = 1024 * 1024

export interface ServerParts {
  settings: Pick<Settings, 'trustedProxies' | 'limits'>
  /** The address for browsers, if any use it. */
  publicUrl?: string
  authentication: Authentication
  fleet: Fleet
  agentOfCall: AgentOfCall
  logger: FastifyBaseLogger
  metrics: Registry
  answers: Answers
}

/** An HTTP server on which every route is guarded, narrowed, counted and answered alike. */
export function makeServer(parts: ServerParts): Server {
  const { settings, logger, metrics, answers } = parts
  const limits = settings.limits.connections
  const routes = new Routes()
  const answerFailure = answerFailures(answers)
  const safety = safetyHeaders(parts.publicUrl)
  const made = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }), // observation.ts logs instead
    genReqId: requestIds(),
    bodyLimit: bodyLimitBytes,
    requestTimeout: Math.ceil(limits.requestTimeoutMs),
    return503OnClosing: false, // its answer would not be of our shape; the connection is closed instead
    forceCloseConnections: 'idle',
    http: { shouldUpgradeCallback: isSocketRequest(routes), ...serverOptions(limits) },
    routerOptions: { maxParamLength: 500 },
    frameworkErrors: (error, request, reply) => answerFailure(error, request, reply.headers(safety)), // before any hook
    clientErrorHandler: answerBrokenRequests(answers),
  }).withTypeProvider<TypeBoxTypeProvider>()
  const server: Server = Object.assign(made, { routes })
  capConnections({ server: server.server, limits, trustedProxies: settings.trustedProxies, logger })
  const slowBodies = new SlowBodies(server.server, limits)

  server.setValidatorCompiler(validatorOf)
  server.setSerializerCompiler(serializerOf)
  server.setErrorHandler(answerFailure)
  server.setNotFoundHandler((request) => answerUnknown(routes, request))
  server.decorateRequest('caller')
  server.decorateRequest('operator')
  server.decorateRequest('signUpAddress', '')
  server.decorateRequest('clientAddress', {
    getter() {
      return clientAddress(
        this.socket.remoteAddress ?? '',
        forwardedFor(this.headers),
        settings.trustedProxies,
      )
    },
  })
  server.addHook('onRequest', (request, reply, done) => {
    slowBodies.watch(request.raw, reply.raw)
    reply.header('x-request-id', request.id).headers(safety)
    if (/^\/(?:v1|api)/.test(request.url)) reply.header('cache-control', 'no-store')
    done(nulInUrl(request))
  })
  readJsonBodies(server)
  traceRequests(server, parts.fleet)
  observeRequests(server, metrics)
  guardRoutes(server, parts)
  refuseMisspelt(server)
  return server
}

/** On every answer: a browser guesses no type, and comes back over TLS alone if the operator serves TLS. */
const safetyHeaders = (publicUrl = ''): Record<string, string> => ({
  'x-content-type-options': 'nosniff',
  ...(publicUrl.startsWith('https:') && { 'strict-transport-security': 'max-age=31536000' }),
})

/** Unique over processes by its random start, and within one by counting: cheaper than randomness each time. */
function requestIds(): () => string {
  const process = newId('req', 6)
  let count = 0
  return () => `${process}_${(count += 1)}`
}

function forwardedFor(headers: IncomingMessage['headers']): string | undefined {
  const header = headers['x-forwarded-for']
  return Array.isArray(header) ? header.join(',') : header
}
