import { OpenBrowserCall, OpenedBrowserCall } from '@switchroom/contract/browser-calls'
import { scope } from '../../http/access.ts'
import { refusals } from '../../http/refusals.ts'
import type { Server } from '../../http/server.ts'
import type { BrowserCalls } from './browser-calls.ts'

export function browserCallRoutes(server: Server, calls: BrowserCalls) {
  server.post(
    '/v1/tokens',
    {
      access: scope('talk'),
      schema: {
        summary: 'Open a spoken call for a browser: where it connects, and the token that lets it in once',
        body: OpenBrowserCall,
        response: { 200: OpenedBrowserCall, ...refusals(404, 409, 429) },
      },
    },
    ({ caller, body }) => calls.open(caller, body),
  )
}
