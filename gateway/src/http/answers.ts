import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { Refused } from '@switchroom/contract/shapes'
import { notFound, Refusal, unprocessable } from '../foundation/refusals.ts'
import type { Routes } from './routes.ts'
import { sentenceOf } from './shape-sentences.ts'

/** The one place where a failure becomes an answer. */
export function answerFailure(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  const refusal = refusalOf(error, request)
  if (refusal.status === 500) request.log.error({ err: error }, 'a request failed')
  void reply
    .code(refusal.status)
    .headers(refusal.headers)
    .send({ detail: refusal.message } satisfies Refused)
}

function refusalOf(error: FastifyError, request: FastifyRequest): Refusal {
  if (error instanceof Refusal) return error
  if (error.validation) return sentenceOf(error)
  if (error.code === 'FST_ERR_BAD_URL' || error.code === 'FST_ERR_MAX_PARAM_LENGTH') return noDoor(request)
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return new Refusal(413, 'that body is too large')
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return unprocessable('body: must be a JSON object, sent with the content-type application/json')
  if (error.code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH')
    return unprocessable('body: must be as long as it says')
  return new Refusal(500, 'something broke on our side')
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

const pathOf = ({ url }: FastifyRequest) => url.split('?', 1)[0] ?? url

const noDoor = (request: FastifyRequest) => notFound(`there is no door at ${pathOf(request)}`)
