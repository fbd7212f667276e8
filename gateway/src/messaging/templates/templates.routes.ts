import { AgentParams } from '@switchroom/contract/settings'
import { SendTemplate, TemplateList, TemplatesAsked } from '@switchroom/contract/templates'
import { ThreadParams, WrittenToThread } from '@switchroom/contract/threads'
import { scope } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { Templates } from './templates.ts'

export function templateRoutes(server: Server, templates: Templates) {
  server.get(
    '/v1/agents/:agent/templates',
    {
      access: scope('talk'),
      schema: {
        summary: "The approved message templates of an agent's number",
        params: AgentParams,
        querystring: TemplatesAsked,
        response: { 200: TemplateList, ...refusals(404, 409, 502) },
      },
    },
    ({ caller, params, query }) => templates.list(caller, params.agent, query),
  )

  server.post(
    '/v1/agents/:agent/threads/:contact/templates',
    {
      access: scope('talk'),
      schema: {
        summary:
          'Send a contact an approved template as the agent, also later than 24 hours after they wrote',
        params: ThreadParams,
        body: SendTemplate,
        response: { 202: WrittenToThread, ...refusals(404, 409, 429, 502) },
      },
    },
    async ({ caller, params, body }, reply) =>
      reply.code(202).send(await templates.send(caller, params.agent, params.contact, body)),
  )
}
