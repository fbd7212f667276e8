import { CallParams } from '@switchroom/contract/calls'
import { CallEventsAsked, EventPage, EventsAsked, EventStreamed, RelayAsked } from '@switchroom/contract/log'
import { AgentParams } from '@switchroom/contract/settings'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { callReader, scope, type Access } from '../../http/access.ts'
import type { ConnectionCaps } from '../connection-caps/connection-caps.ts'
import type { OpenConnections } from '../../http/open-connections.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import { cursorOf, limitOf } from './event-cursors.ts'
import { EventStream } from './event-stream.ts'
import type { ReadLog } from './log-reader.ts'
import type { EventLogs } from './events.ts'
import type { Relay } from './relay.ts'

export interface EventParts {
  eventLogs: EventLogs
  relay: Relay
  connections: OpenConnections
  caps: ConnectionCaps
}

const readsAgents = scope('calls')

const pageOrStream = {
  content: { 'application/json': { schema: EventPage }, 'text/event-stream': { schema: EventStreamed } },
}

export function eventRoutes(server: Server, { eventLogs, relay, connections, caps }: EventParts) {
  type EventsRequest = FastifyRequest<{ Querystring: EventsAsked }>

  /** As a stream if `Accept` asks for one, else as a page. */
  const read = async (access: Access, log: ReadLog, request: EventsRequest, reply: FastifyReply) => {
    const { query, headers, caller } = request
    const limit = limitOf(query)
    if (!asksForStream(request)) {
      const page = await eventLogs.page(log, cursorOf(query), limit)
      return reply.type('application/json; charset=utf-8').send(page)
    }
    const after = cursorOf(query, headers['last-event-id']?.toString())
    const release = await caps.openStream(caller)
    const stream = { caller, access, agent: log.agent, connections, release }
    eventLogs.stream(log, after, new EventStream(reply, stream))
    return reply
  }

  server.get(
    '/v1/calls/:call/events',
    {
      access: callReader,
      schema: {
        summary:
          "A call's log, as a page or with `Accept: text/event-stream` as a stream that ends with the call",
        params: CallParams,
        querystring: CallEventsAsked,
        response: { 200: pageOrStream, ...refusals(404, 429) },
      },
    },
    async (request, reply) =>
      read(callReader, await eventLogs.ofCall(request.caller, request.params.call), request, reply),
  )

  server.get(
    '/v1/agents/:agent/events',
    {
      access: readsAgents,
      schema: {
        summary: "An agent's own log, of what belongs to no single call, as a page or as a stream",
        params: AgentParams,
        querystring: EventsAsked,
        response: { 200: pageOrStream, ...refusals(404, 429) },
      },
    },
    async (request, reply) =>
      read(readsAgents, await eventLogs.ofAgent(request.caller, request.params.agent), request, reply),
  )

  server.get(
    '/v1/events',
    {
      access: readsAgents,
      schema: {
        summary: "What happens now in the org's calls on this gateway, as a stream without a past",
        querystring: RelayAsked,
        response: { 200: { content: { 'text/event-stream': { schema: EventStreamed } } }, ...refusals(429) },
      },
    },
    async (request, reply) => {
      if (request.method === 'HEAD') return reply.type('text/event-stream').send('')
      const { caller, query } = request
      const agent = query.agent ?? null
      const release = await caps.openStream(caller)
      const stream = { caller, access: readsAgents, agent, connections, release }
      relay.read(new EventStream(reply, stream), query.agent)
      return reply
    },
  )
}

const asksForStream = ({ method, headers }: FastifyRequest) =>
  method === 'GET' && headers.accept?.toLowerCase().includes('text/event-stream') === true
