import type { FastifyReply, FastifyRequest } from 'fastify'

/** Agents are embedded in other people's pages; the token in the request is all that counts. */
export async function letAnyPageIn(_request: FastifyRequest, reply: FastifyReply) {
  reply.headers({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, POST',
    'access-control-allow-headers': 'authorization, content-type, last-event-id',
    'access-control-max-age': '86400',
  })
}
