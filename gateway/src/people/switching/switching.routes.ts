import { MintedKey } from '@switchroom/contract/keys'
import { OwnOrgList, SwitchOrg } from '@switchroom/contract/sign-in'
import { person } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { Switching } from './switching.ts'

export function switchingRoutes(server: Server, switching: Switching) {
  server.get(
    '/v1/login/orgs',
    { access: person, schema: { summary: 'Your orgs, oldest first', response: { 200: OwnOrgList } } },
    (request) => switching.list(request.caller),
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
    (request) => switching.switch(request.caller, request.body),
  )
}
