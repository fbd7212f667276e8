import { Readable } from 'node:stream'
import { AgentParams } from '@switchroom/contract/settings'
import {
  ReadMark,
  ReadThread,
  ThreadList,
  ThreadParams,
  ThreadsAsked,
  WriteToThread,
  WrittenToThread,
} from '@switchroom/contract/threads'
import type { FastifyReply } from 'fastify'
import { personScope, scope } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { Threads } from './threads.ts'
import type { MessageSender } from './message-sender.ts'

export function threadRoutes(server: Server, threads: Threads, messageSender: MessageSender) {
  server.get(
    '/v1/agents/:agent/threads',
    {
      access: scope('calls'),
      schema: {
        summary: "An agent's contacts, each with everything they said and wrote, newest first",
        params: AgentParams,
        querystring: ThreadsAsked,
        response: { 200: { content: { 'application/json': { schema: ThreadList } } }, ...refusals(404) },
      },
    },
    async ({ caller, params, query }, reply) =>
      sendPieces(reply, await threads.list(caller, params.agent, query)),
  )

  server.post(
    '/v1/agents/:agent/threads/:contact/messages',
    {
      access: scope('talk'),
      schema: {
        summary: 'Write to a contact as the agent, within 24 hours of what they last wrote',
        params: ThreadParams,
        body: WriteToThread,
        response: { 202: WrittenToThread, ...refusals(404, 409) },
      },
    },
    async ({ caller, params, body }, reply) =>
      reply.code(202).send(await messageSender.send(caller, params.agent, params.contact, body)),
  )

  server.put(
    '/v1/agents/:agent/threads/:contact/read',
    {
      access: personScope('calls'),
      schema: {
        summary: 'Mark a thread as read by you',
        params: ThreadParams,
        body: ReadThread,
        response: { 200: ReadMark, ...refusals(404) },
      },
    },
    ({ caller, params, body }) => threads.markRead(caller, params.agent, params.contact, body),
  )
}

const sendPieces = (reply: FastifyReply, pieces: AsyncIterable<string>) =>
  reply.type('application/json; charset=utf-8').send(Readable.from(pieces))
