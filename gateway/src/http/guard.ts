import type { FastifyRequest, RouteOptions } from 'fastify'
import { Refused } from '@switchroom/contract/shapes'
import { forbidden, notFound } from '../foundation/refusals.ts'
import { refuseUnlessOpens } from '../foundation/caller.ts'
import type { Access } from './access.ts'
import type { Authentication } from './authentication.ts'
import { narrow } from './narrowing.ts'
import type { Server } from './server.ts'

/** Puts every route behind the access it declares, and refuses to start with one that declares none. */
export function guardRoutes(server: Server, authentication: Authentication) {
  server.addHook('onRoute', (route) => {
    if (route.access === undefined) throw new Error(`${String(route.method)} ${route.url} declares no access`)
    const schema = (route.schema ??= {})
    schema.response = { ...refusalsOf(route), ...(schema.response as object) }
    for (const method of [route.method].flat())
      server.routes.add({ method, path: route.url, access: route.access, schema })

    if (route.access.kind === 'open') return
    route.onRequest = [guardOf(route.access, authentication), ...[route.onRequest ?? []].flat()]
    if (route.access.kind !== 'operator' && route.access.kind !== 'signUp')
      route.preValidation = [
        narrow,
        ...[route.preValidation ?? []].flat(),
      ] as RouteOptions['preValidation'] & {}
  })
}

/** What the guard and the shapes can answer, documented on every route without anybody writing it. */
function refusalsOf(route: RouteOptions): Record<number, typeof Refused> {
  const guarded = route.access.kind === 'open' ? [] : [400, 401, 403]
  const shut = route.access.kind === 'operator' || route.access.kind === 'signUp' ? [404] : []
  const shaped = route.schema?.body || route.schema?.querystring ? [400, 413, 422] : []
  return Object.fromEntries([...guarded, ...shut, ...shaped].map((status) => [status, Refused]))
}

function guardOf(access: Access, authentication: Authentication) {
  if (access.kind === 'signUp')
    return async (request: FastifyRequest) => {
      authentication.refuseSignUp(request.headers)
      request.signUpPlace = authentication.signUpPlace(request.headers, request.place)
    }
  if (access.kind === 'operator')
    return async (request: FastifyRequest) => {
      if (!authentication.isOperatorDoorOpen)
        throw notFound("the operator's doors are shut on this deployment: set SVC_OPERATOR_KEY")
      request.operator = await authentication.operator(request.headers)
    }
  return async (request: FastifyRequest) => {
    request.caller = await authentication.caller(request.headers)
    refuseUnlessAllowed(access, request)
  }
}

function refuseUnlessAllowed(access: Access, { caller }: FastifyRequest) {
  if ((access.kind === 'person' || access.kind === 'personScope') && caller.kind !== 'person')
    throw forbidden("this door takes a person's key")
  if (access.kind === 'scope' || access.kind === 'personScope') refuseUnlessOpens(caller, access.anyOf)
}
