import type { Socket } from 'node:net'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { isUnavailable } from '../database/database.ts'
import { refusalOfRace } from '../database/retries.ts'
import { notFound, Refusal, unavailable, unprocessable } from '../foundation/refusals.ts'
import { aboutRequest } from './request-fields.ts'
import type { Routes } from './routes.ts'
import { sentenceOf } from './shape-sentences.ts'

/** How a listener formats a refusal. */
export interface Answers {
  readonly schema: TSchema
  readonly statusOf: (status: number) => number
  readonly bodyOf: (refusal: Refusal) => object
}

/** The only function that turns a failure into a response. */
export const answerFailures =
  (answers: Answers) => (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
    const refusal = refusalOf(error, request)
    const about = { err: error, ...aboutRequest(request, refusal.status) }
    if (refusal.status === 500) request.log.error(about, 'a request failed')
    else if (isUnavailable(error)) request.log.warn(about, 'the database could not serve a request')
    void reply.code(answers.statusOf(refusal.status)).headers(refusal.headers).send(answers.bodyOf(refusal))
  }

function refusalOf(error: FastifyError, request: FastifyRequest): Refusal {
  if (error instanceof Refusal) return error
  if (error.validationContext === 'params') return nothingCalled(request, error)
  if (error.validation) return sentenceOf(error)
  if (error.code === 'FST_ERR_BAD_URL' || error.code === 'FST_ERR_MAX_PARAM_LENGTH') return noDoor(request)
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new Refusal(413, 'that body is too large')
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return unprocessable('body: must be a JSON object, sent with the content-type application/json')
  if (error.code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH')
    return unprocessable('body: must be as long as it says')
  if (isUnavailable(error))
    return unavailable('the database cannot serve this request at the moment: try again in 2 seconds', 2)
  if (request.raw.destroyed && !request.raw.complete) return new Refusal(499, 'the caller hung up')
  const race = refusalOfRace(error)
  if (race) request.log.warn({ err: error }, 'a request met another that changed the same')
  return race ?? new Refusal(500, 'something broke on our side')
}

/** Unknown paths, and known paths with a method they do not take. */
export function answerUnknown(routes: Routes, request: FastifyRequest): never {
  const path = pathOf(request)
  const methods = routes.methodsAt(path)
  if (methods.length === 0) throw noDoor(request)
  throw new Refusal(405, `${path} does not take ${request.method}`, { allow: methods.join(', ') })
}

/** PostgreSQL text cannot hold a NUL, so nothing it keeps is at such a path. */
export const nulInUrl = (request: FastifyRequest) =>
  request.url.includes('%00') ? noDoor(request) : undefined

/** A name in a path that nothing can have. */
function nothingCalled({ params }: FastifyRequest, { validation }: FastifyError): Refusal {
  const field = validation?.[0]?.instancePath.slice(1) ?? ''
  return notFound(`there is no ${field} ${(params as Record<string, string>)[field]}`)
}

const pathOf = ({ url }: FastifyRequest) => url.split('?', 1)[0] ?? url

const noDoor = (request: FastifyRequest) => notFound(`there is no door at ${pathOf(request)}`)

/** A request that is not HTTP never reaches a route; it is answered in the listener's shape all the same. */
export const answerBrokenRequests =
  (answers: Answers) =>
  (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return
    const [reason, refusal] =
      error.code === 'HPE_HEADER_OVERFLOW'
        ? ['Request Header Fields Too Large', new Refusal(431, 'those headers are too large')]
        : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
          ? ['Request Timeout', new Refusal(408, 'that request took too long to arrive')]
          : ['Bad Request', new Refusal(400, 'that is not an HTTP request')]
    const body = JSON.stringify(answers.bodyOf(refusal))
    const head = `HTTP/1.1 ${refusal.status} ${reason}\r\nContent-Type: application/json\r\nX-Content-Type-Options: nosniff\r\nContent-Length: ${Buffer.byteLength(body)}`
    if (socket.writable) socket.write(`${head}\r\nConnection: close\r\n\r\n${body}`)
    socket.destroy(error)
  }
