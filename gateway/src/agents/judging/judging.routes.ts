import { Judging } from '@switchroom/contract/settings'
import { settingsScope } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { OrgJudging } from './judging.ts'

export function judgingRoutes(server: Server, judging: OrgJudging) {
  server.get(
    '/v1/org/judging',
    {
      access: settingsScope('pipeline', 'words'),
      schema: { summary: "The model the org's calls are judged on", response: { 200: Judging } },
    },
    (request) => judging.read(request.caller.org),
  )

  server.put(
    '/v1/org/judging',
    {
      access: settingsScope('pipeline'),
      schema: {
        summary: "Choose the model the org's calls are judged on; null clears the choice",
        body: Judging,
        response: { 200: Judging, ...refusals(409) },
      },
    },
    (request) => judging.set(request.caller, request.body),
  )
}
