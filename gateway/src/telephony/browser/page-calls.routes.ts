import { HangUpFromPage, PageCall, PageEventsStreamed } from '@switchroom/contract/browser-calls'
import { Nothing } from '@switchroom/contract/shapes'
import type { ConnectionCaps } from '../../calls/connection-caps/connection-caps.ts'
import { cursorOf } from '../../calls/log/event-cursors.ts'
import { EventStream } from '../../calls/log/event-stream.ts'
import type { EventLogs } from '../../calls/log/events.ts'
import { open } from '../../http/access.ts'
import { letAnyPageIn } from '../../http/any-page.ts'
import { presentedBearer } from '../../http/authentication.ts'
import type { OpenConnections } from '../../http/open-connections.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import { offersPath } from '../worker-offers/sound-offers.ts'
import type { PageCalls } from './page-calls.ts'
import { pageFrame } from './page-view.ts'

const eventsPath = `${offersPath}/events`

export interface PageRouteParts {
  pageCalls: PageCalls
  eventLogs: EventLogs
  connections: OpenConnections
  caps: ConnectionCaps
}

export function pageCallRoutes(server: Server, { pageCalls, eventLogs, connections, caps }: PageRouteParts) {
  server.get(
    offersPath,
    {
      access: open,
      onRequest: [letAnyPageIn],
      schema: {
        summary: 'Where a page connects, with the participant token as the bearer',
        response: { 200: PageCall, ...refusals(401) },
      },
    },
    ({ headers }) => pageCalls.about(presentedBearer(headers)),
  )

  server.options(
    eventsPath,
    {
      access: open,
      onRequest: [letAnyPageIn],
      schema: { summary: "A browser's question whether a page may read", response: { 204: Nothing } },
    },
    async (_request, reply) => reply.code(204).send(),
  )

  server.get(
    eventsPath,
    {
      access: open,
      onRequest: [letAnyPageIn],
      schema: {
        summary:
          'What is said in the call of a page, as it is said, with the participant token as the bearer',
        description: 'A page that comes back sends the last id that it has as `Last-Event-ID`.',
        response: {
          200: { content: { 'text/event-stream': { schema: PageEventsStreamed } } },
          ...refusals(401, 404, 422, 429),
        },
      },
    },
    async ({ headers, method, clientAddress }, reply) => {
      const caller = await pageCalls.participant(presentedBearer(headers), clientAddress)
      if (method === 'HEAD') return reply.type('text/event-stream').send('')
      const after = cursorOf({}, headers['last-event-id']?.toString())
      const log = await eventLogs.ofCall(caller, caller.call)
      const release = await caps.openStream(caller)
      const stream = new EventStream(reply, { caller, access: open, agent: null, connections, release })
      eventLogs.stream(log, after, stream, pageFrame)
      return reply
    },
  )

  server.post(
    `${offersPath}/hangup`,
    {
      access: open,
      onRequest: [letAnyPageIn],
      schema: {
        summary: 'Hang up from a page that is being closed: a beacon whose text is the participant token',
        hide: true, // for the beacon of a page: generators know no body of plain text
        body: HangUpFromPage,
        response: { 204: Nothing, ...refusals(401) },
      },
    },
    async ({ body }, reply) => {
      await pageCalls.hangUp(body)
      return reply.code(204).send()
    },
  )
}
