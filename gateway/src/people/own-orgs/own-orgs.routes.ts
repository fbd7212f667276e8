import { MintedKey } from '@switchroom/contract/keys'
import { OwnOrgList, SwitchOrg } from '@switchroom/contract/sign-in'
import { person } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { OwnOrgs } from './own-orgs.ts'

export function ownOrgRoutes(server: Server, ownOrgs: OwnOrgs) {
  server.get(
    '/v1/login/orgs',
    { access: person, schema: { summary: 'Your orgs, oldest first', response: { 200: OwnOrgList } } },
    (request) => ownOrgs.list(request.caller),
  )

  server.post(
    '/v1/login/org',
    {
      access: person,
      schema: {
        summary: 'Your key in another org of yours',
        body: SwitchOrg,
        response: { 200: MintedKey, ...refusals(404) },
      },
    },
    (request) => ownOrgs.switch(request.caller, request.body),
  )
}
