import { Account, ReplaceAccount } from '@switchroom/contract/accounts'
import { Type } from 'typebox'
import { operator } from '../../http/access.ts'
import type { Server } from '../../http/server.ts'
import type { Accounts } from './accounts.ts'

const Params = Type.Object({ org: Type.String({ description: 'id or slug' }) })

export function accountRoutes(server: Server, accounts: Accounts) {
  server.get(
    '/v1/ops/orgs/:org/account',
    {
      access: operator,
      schema: { summary: "An org's plan and credits", params: Params, response: { 200: Account } },
    },
    (request) => accounts.find(request.params.org),
  )

  server.put(
    '/v1/ops/orgs/:org/account',
    {
      access: operator,
      schema: {
        summary: "Replace an org's plan and credits",
        params: Params,
        body: ReplaceAccount,
        response: { 200: Account },
      },
    },
    (request) => accounts.replace(request.operator, request.params.org, request.body),
  )
}
