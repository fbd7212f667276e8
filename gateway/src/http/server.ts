import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { Caller, Operator } from '../foundation/caller.ts'
import type { Access } from './access.ts'
import type { Routes } from './routes.ts'

/** What routes are registered on: types follow from schemas, and every route declares its access. */
export type Server = FastifyInstance<
  HttpServer,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
> & {
  routes: Routes
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is calling; only on routes whose access asks for a key. */
    caller: Caller
    /** Only on routes whose access is the operator's. */
    operator: Operator
    /** The client address, for counting tries. */
    readonly clientAddress: string
    /** Only on the routes of sign-up: the client address that the page in front passed on, if there is one. */
    signUpAddress: string
  }
  /** What the API's description says beside what is checked. */
  interface FastifySchema {
    summary?: string
    description?: string
    /** Not for the public: the route is not described. */
    hide?: boolean
    /** The body of a route that reads it as it comes. */
    describedBody?: { content: Record<string, { schema: object }> }
  }
  interface RouteShorthandOptions {
    access: Access
    /** Who may open the same path as a socket; a path without it is none. */
    socketAccess?: Access
  }
}
