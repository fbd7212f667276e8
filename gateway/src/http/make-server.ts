import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { Ajv } from 'ajv'
import fastify, { LogController, type FastifyBaseLogger, type FastifySchemaCompiler } from 'fastify'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { Registry } from 'prom-client'
import type { TSchema } from 'typebox'
import { newId } from '../foundation/secrets.ts'
import type { Settings } from '../foundation/settings.ts'
import { answerFailure, answerUnknown, nulInUrl } from './answers.ts'
import type { Authentication } from './authentication.ts'
import { clientPlace } from './client-place.ts'
import { guardRoutes } from './guard.ts'
import { readJsonBodies } from './json-body.ts'
import { observeRequests } from './observation.ts'
import { Routes } from './routes.ts'
import type { Server } from './server.ts'

const bodyLimitBytes = 1024 * 1024

export interface ServerParts {
  settings: Pick<Settings, 'trustedProxies'>
  authentication: Authentication
  logger: FastifyBaseLogger
  metrics: Registry
}

/** An HTTP server on which every route is guarded, narrowed, counted and answered alike. */
export function makeServer({ settings, authentication, logger, metrics }: ServerParts): Server {
  const routes = new Routes()
  const made = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }), // observation.ts logs instead
    genReqId: requestIds(),
    bodyLimit: bodyLimitBytes,
    return503OnClosing: false, // its answer would not be of our shape; the connection is closed instead
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 500 },
    frameworkErrors: answerFailure,
    clientErrorHandler: answerBrokenRequest,
  }).withTypeProvider<TypeBoxTypeProvider>()
  const server: Server = Object.assign(made, { routes })

  server.setValidatorCompiler(validatorOf)
  server.setErrorHandler(answerFailure)
  server.setNotFoundHandler((request) => answerUnknown(routes, request))
  server.decorateRequest('caller')
  server.decorateRequest('operator')
  server.decorateRequest('signUpPlace', '')
  server.decorateRequest('place', {
    getter() {
      return clientPlace(this.socket.remoteAddress ?? '', forwardedFor(this.headers), settings.trustedProxies)
    },
  })
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    if (request.url.startsWith('/v1')) reply.header('cache-control', 'no-store')
    done(nulInUrl(request))
  })
  readJsonBodies(server)
  observeRequests(server, metrics)
  guardRoutes(server, authentication)
  return server
}

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

// A body keeps the types it came with; a query and a path are text, so they are read as what they must be.
const exact = new Ajv({ coerceTypes: false, strict: false, formats: { 'date-time': true } })
const coercing = new Ajv({
  coerceTypes: 'array',
  useDefaults: true,
  strict: false,
  formats: { 'date-time': true },
})

const validatorOf: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) =>
  (httpPart === 'body' ? exact : coercing).compile(schema)

/** A request that is not HTTP never reaches a route; it is answered in our shape all the same. */
function answerBrokenRequest(error: Error & { code?: string }, socket: Socket) {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const [status, detail] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? ['431 Request Header Fields Too Large', 'those headers are too large']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ['408 Request Timeout', 'that request took too long to arrive']
        : ['400 Bad Request', 'that is not an HTTP request']
  const body = JSON.stringify({ detail })
  const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}`
  if (socket.writable) socket.write(`${head}\r\nConnection: close\r\n\r\n${body}`)
  socket.destroy(error)
}
