import {
  CreatePublishableKey,
  OpenedFromPage,
  OpenFromPage,
  PublishableKey,
  PublishableKeyList,
  PublishableKeyParams,
} from '@switchroom/contract/publishable-keys'
import { Nothing } from '@switchroom/contract/shapes'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { open, personScope, scope } from '../../http/access.ts'
import { presentedBearer } from '../../http/authentication.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { PageTokens } from './page-tokens.ts'
import type { PublishableKeys } from './publishable-keys.ts'

const tokensPath = '/v1/page/tokens'

export function publishableKeyRoutes(server: Server, keys: PublishableKeys, pageTokens: PageTokens) {
  server.get(
    '/v1/publishable-keys',
    {
      access: scope('app', 'keys'),
      schema: { summary: "The org's publishable keys", response: { 200: PublishableKeyList } },
    },
    ({ caller }) => keys.list(caller),
  )

  server.post(
    '/v1/publishable-keys',
    {
      access: personScope('app'),
      schema: {
        summary: 'Make a key for web pages: for one agent, a list of origins and a pace per visitor',
        body: CreatePublishableKey,
        response: { 201: PublishableKey, ...refusals(404) },
      },
    },
    async ({ caller, body }, reply) => reply.code(201).send(await keys.create(caller, body)),
  )

  server.post(
    '/v1/publishable-keys/:id/revoke',
    {
      access: personScope('app', 'keys'),
      schema: {
        summary: 'Revoke a publishable key: pages that hold it open nothing more, and running calls go on',
        params: PublishableKeyParams,
        response: { 200: PublishableKey, ...refusals(404) },
      },
    },
    ({ caller, params }) => keys.revoke(caller, params.id),
  )

  server.options(
    tokensPath,
    {
      access: open,
      onRequest: [answerOrigin],
      schema: { summary: "A browser's question whether a page may ask", response: { 204: Nothing } },
    },
    async (_request, reply) => reply.code(204).send(),
  )

  server.post(
    tokensPath,
    {
      access: open,
      onRequest: [answerOrigin],
      schema: {
        summary: 'Open a call or a chat from a web page, with its publishable key as the bearer',
        body: OpenFromPage,
        response: { 200: OpenedFromPage, ...refusals(401, 403, 404, 409, 429) },
      },
    },
    ({ headers, body, clientAddress }) =>
      pageTokens.open({ key: presentedBearer(headers), origin: headers.origin, from: clientAddress }, body),
  )
}

/**
 * Any page may read the answer, so that one whose origin is missing in the key can say so to its developer: whether it
 * gets a token is decided by the rule, and not by its browser.
 */
async function answerOrigin({ headers }: FastifyRequest, reply: FastifyReply) {
  reply.headers({
    'access-control-allow-origin': headers.origin ?? '*',
    vary: 'origin',
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': 'authorization, content-type',
    'access-control-max-age': '3600',
  })
}
