import type { FastifyRequest, RouteOptions } from 'fastify'
import type { TSchema } from 'typebox'
import { forbidden, notFound } from '../foundation/refusals.ts'
import { isOpenToFleet, refuseUnlessAllowed, type Access } from './access.ts'
import { presentedChatToken, presentedLogToken, type Authentication } from './authentication.ts'
import type { Answers } from './failures.ts'
import type { Fleet } from './fleet.ts'
import { narrowing, type AgentOfCall } from './narrowing.ts'
import type { Server } from './server.ts'

/** The services that know the keys. */
interface Keepers {
  authentication: Authentication
  fleet: Fleet
}

export interface GuardParts extends Keepers {
  agentOfCall: AgentOfCall
  answers: Answers
}

/** Puts every route behind the access it declares, and refuses to start with one that declares none. */
export function guardRoutes(server: Server, { agentOfCall, answers, ...keepers }: GuardParts) {
  const narrow = narrowing(agentOfCall)
  server.addHook('onRoute', (route) => {
    if (route.access === undefined) throw new Error(`${String(route.method)} ${route.url} declares no access`)
    if (route.access.kind === 'open' && route.socketAccess)
      throw new Error(`${route.url} would accept sockets without a key`)
    const schema = (route.schema ??= {})
    schema.response = { ...refusalsOf(route, answers), ...(schema.response as object) }
    const { access, socketAccess } = route
    for (const method of [route.method].flat())
      server.routes.add({
        method,
        path: route.url,
        access,
        schema,
        ...(method === 'GET' && socketAccess && { socketAccess }),
      })

    if (access.kind === 'open') return
    route.onRequest = [guardOf(access, socketAccess, keepers), ...[route.onRequest ?? []].flat()]
    if (access.kind !== 'operator' && access.kind !== 'signUp' && access.kind !== 'fleet')
      route.preValidation = [
        narrow,
        ...[route.preValidation ?? []].flat(),
      ] as RouteOptions['preValidation'] & {}
  })
}

/** What the guard, the shapes and a database that cannot serve can answer, documented on every route by itself. */
function refusalsOf(route: RouteOptions, { statusOf, schema }: Answers): Record<number, TSchema> {
  const guarded = route.access.kind === 'open' ? [] : [400, 401, 403]
  const shut = route.access.kind === 'operator' || route.access.kind === 'signUp' ? [404] : []
  const named = isOpenToFleet(route.access) && route.url.includes('/:call') ? [404] : [] // an unknown call
  const shaped = route.schema?.body || route.schema?.querystring ? [400, 413, 422] : []
  // Another request changed the same at the same moment.
  const raced = [route.method].flat().some((method) => method !== 'GET' && method !== 'HEAD')
    ? [409, 503]
    : [503]
  return Object.fromEntries(
    [...guarded, ...shut, ...named, ...shaped, ...raced].map((status) => [statusOf(status), schema]),
  )
}

type Guard = (request: FastifyRequest) => Promise<void>

function guardOf(access: Access, socketAccess: Access | undefined, keepers: Keepers): Guard {
  const guard = guardOfOne(access, keepers)
  if (!socketAccess) return guard
  const socketGuard = guardOfOne(socketAccess, keepers)
  return (request) => (request.ws ? socketGuard(request) : guard(request))
}

function guardOfOne(access: Access, { authentication, fleet }: Keepers): Guard {
  if (access.kind === 'signUp')
    return async (request: FastifyRequest) => {
      authentication.refuseSignUp(request.headers)
      request.signUpAddress = authentication.signUpAddress(request.headers, request.clientAddress)
    }
  if (access.kind === 'operator')
    return async (request: FastifyRequest) => {
      if (!authentication.isOperatorDoorOpen)
        throw notFound("the operator's doors are shut on this deployment: set SVC_OPERATOR_KEY")
      request.operator = await authentication.operator(request.headers, request.clientAddress)
    }
  if (access.kind === 'fleet')
    return async (request: FastifyRequest) => {
      if (fleet.isPresented(request.headers)) return
      await authentication.caller(request.headers)
      throw forbidden("this door takes the fleet's key")
    }
  if (isOpenToFleet(access))
    return async (request: FastifyRequest) => {
      if (fleet.isPresented(request.headers)) {
        const isOrgInBody = access.kind === 'worker' && access.isOrgInBody === true
        request.caller = await fleet.caller(request, isOrgInBody)
        return
      }
      const token = access.kind === 'scopeOrWorker' && access.takesLogToken && presentedLogToken(request)
      if (token) {
        request.caller = await authentication.logTokens.caller(token, callInPath(request))
        return
      }
      request.caller = await authentication.caller(request.headers, request.clientAddress)
      refuseUnlessAllowed(access, request.caller)
    }
  return async (request: FastifyRequest) => {
    const token = access.kind === 'scope' && access.takesChatToken && presentedChatToken(request)
    if (token) {
      request.caller = await authentication.chatTokens.caller(
        token,
        chatInQuery(request),
        request.clientAddress,
      )
      return
    }
    request.caller = await authentication.caller(request.headers, request.clientAddress)
    refuseUnlessAllowed(access, request.caller)
  }
}

const chatInQuery = ({ query }: FastifyRequest) => String((query as { call?: unknown }).call)

const callInPath = ({ params }: FastifyRequest) => String((params as { call?: unknown }).call)
