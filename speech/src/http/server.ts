import { randomBytes } from 'node:crypto'
import { METHODS } from 'node:http'
import type { Socket } from 'node:net'
import type { MetricNames } from '@switchroom/contract/metrics/table'
import type { InstalledVendors } from '@switchroom/kit/installed'
import { capConnections, serverOptions, SlowBodies } from '@switchroom/process/connection-limits'
import type { Meters } from '@switchroom/process/meters'
import type { PeriodicTasks } from '@switchroom/process/periodic-tasks'
import fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import type { GatewayClient } from '../gateway/gateway-client.ts'
import { isOpenAiClient, openAiRefusal } from '../foundation/openai-requests.ts'
import { Refusal } from '../foundation/refusals.ts'
import type { Settings } from '../foundation/settings.ts'
import { traceRequests } from './traced-requests.ts'

const bodyLimitBytes = 1024 * 1024

export type Server = FastifyInstance
export type SpeechMeters = Meters<MetricNames>

/** What every route of the voice server works with. */
export interface Parts {
  tasks: PeriodicTasks
  settings: Settings
  gateway: GatewayClient
  vendors: InstalledVendors
  meters: SpeechMeters
}

/** An HTTP server that answers every refusal alike and logs no path, query, header or body as sent. */
export function makeServer(
  { connections: limits }: Settings,
  logger: FastifyBaseLogger,
  meters: SpeechMeters,
): Server {
  const methods = new Map<string, Set<string>>()
  const sockets = new Set<string>()
  const server = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }), // the hook below logs instead
    genReqId: newRequestId,
    bodyLimit: bodyLimitBytes,
    requestTimeout: Math.ceil(limits.requestTimeoutMs),
    return503OnClosing: false, // its answer would not be of our shape; the connection is closed instead
    forceCloseConnections: 'idle',
    exposeHeadRoutes: false,
    // an upgrade on a path without a socket is an ordinary request
    http: {
      ...serverOptions(limits),
      shouldUpgradeCallback: ({ url = '', headers }) =>
        headers.upgrade?.toLowerCase() === 'websocket' && sockets.has(withoutQuery(url)),
    },
    frameworkErrors: answerFailure,
    clientErrorHandler: answerBrokenRequest,
  })
  capConnections({ server: server.server, limits, trustedProxies: limits.trustedProxies, logger })
  meters.limit('method', new Set(METHODS))
  meters.limit('route', methods)
  meters.limit('status', { has: (status) => /^[1-5]\d\d$/.test(status) })
  const slowBodies = new SlowBodies(server.server, limits)
  server.addHook('onRoute', (route) => {
    const taken = methods.get(route.url) ?? new Set()
    for (const method of [route.method].flat()) taken.add(method)
    methods.set(route.url, taken)
    if ('websocket' in route || 'wsHandler' in route) sockets.add(route.url)
  })
  server.addHook('onRequest', (request, reply, done) => {
    slowBodies.watch(request.raw, reply.raw)
    request.isOpenAi = isOpenAiClient(request.headers)
    if (request.isOpenAi) reply.header('x-request-id', request.id) // where these clients look for it
    reply.header('x-svc-request-id', request.id).header('x-content-type-options', 'nosniff')
    // the hook after this one is not called for an answer that does not get there
    reply.raw.once('close', () => {
      const isSocket = request.headers.upgrade !== undefined
      if (!reply.raw.writableFinished && !isSocket) logAnswer(request, reply, 'cut off')
    })
    done()
  })
  server.addHook('onResponse', (request, reply, done) => {
    logAnswer(request, reply, 'answered')
    const { method, routeOptions } = request
    const labels = [method, routeOptions.url ?? 'unknown', String(reply.statusCode)]
    meters.observe('svc_http_request_seconds', reply.elapsedTime / 1000, labels)
    done()
  })
  traceRequests(server)
  server.removeAllContentTypeParsers()
  server.setErrorHandler(answerFailure)
  server.setNotFoundHandler((request) => {
    const path = withoutQuery(request.url)
    const taken = methods.get(path)
    if (!taken) throw noDoor(request)
    const allow = [...taken].toSorted().join(', ')
    throw new Refusal(405, 'METHOD_NOT_ALLOWED', `${path} does not take ${request.method}`, { allow })
  })
  return server
}

function logAnswer(request: FastifyRequest, reply: FastifyReply, how: string) {
  const { method } = request
  const route = request.routeOptions.url ?? 'unknown'
  const ms = Math.round(reply.elapsedTime * 10) / 10
  request.log.info({ method, route, status: reply.statusCode, ms, ...aboutRequest(request) }, how)
}

/** What a line about a request names: the org, once its key is checked. */
function aboutRequest({ entered }: Partial<Pick<FastifyRequest, 'entered'>>) {
  return entered && entered.org !== '' ? { org: entered.org } : {}
}

/** The only function that turns a failure into a response. */
function answerFailure(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  const refusal = asRefusal(error, request)
  if (refusal.status === 500) request.log.error({ err: error, ...aboutRequest(request) }, 'a request failed')
  const { status, code, message, headers } = refusal
  const isOpenAi = request.isOpenAi ?? isOpenAiClient(request.headers) // no hook runs for a path that is no path
  void reply
    .code(status)
    .header('x-svc-request-id', request.id)
    .header('x-content-type-options', 'nosniff')
    .headers(headers)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(isOpenAi ? openAiRefusal(refusal) : { error: message, code }))
}

function asRefusal(error: FastifyError, request: FastifyRequest): Refusal {
  if (error instanceof Refusal) return error
  if (error.code === 'FST_ERR_BAD_URL' || error.code === 'FST_ERR_MAX_PARAM_LENGTH') return noDoor(request)
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new Refusal(413, 'INPUT_TOO_LONG', 'that body is too large')
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new Refusal(415, 'UNSUPPORTED_MEDIA', 'send JSON, with the content-type application/json')
  if (error.code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH')
    return new Refusal(400, 'BAD_REQUEST', 'body: must be as long as it says')
  if (request.raw.destroyed && !request.raw.complete) return new Refusal(499, 'GONE', 'the caller hung up')
  return new Refusal(500, 'INTERNAL_ERROR', 'something broke on our side')
}

/** `req_` and 24 hex digits. */
const newRequestId = () => `req_${randomBytes(12).toString('hex')}`

const withoutQuery = (url: string) => url.split('?', 1)[0] ?? url

const noDoor = ({ url }: FastifyRequest) =>
  new Refusal(404, 'NOT_FOUND', `there is no door at ${withoutQuery(url)}`)

/** A request that is not HTTP never reaches a route; it is answered in our shape all the same. */
function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const [status, reason, code, sentence] = brokenRequest(error.code)
  const body = JSON.stringify({ error: sentence, code })
  const head = [
    `HTTP/1.1 ${status} ${reason}`,
    'Content-Type: application/json; charset=utf-8',
    `X-Svc-Request-Id: ${newRequestId()}`,
    'X-Content-Type-Options: nosniff',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ]
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  socket.destroy(error)
}

function brokenRequest(code: string | undefined) {
  if (code === 'HPE_HEADER_OVERFLOW')
    return [431, 'Request Header Fields Too Large', 'HEADERS_TOO_LARGE', 'those headers are too large']
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return [408, 'Request Timeout', 'REQUEST_TIMEOUT', 'that request took too long to arrive']
  return [400, 'Bad Request', 'BAD_REQUEST', 'that is not an HTTP request']
}
