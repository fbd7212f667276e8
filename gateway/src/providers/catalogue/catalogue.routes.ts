import { Catalogue } from '@switchroom/contract/providers'
import { scope } from '../../http/access.ts'
import type { Server } from '../../http/server.ts'
import type { VendorCatalogue } from './catalogue.ts'

export function catalogueRoutes(server: Server, catalogue: VendorCatalogue) {
  server.get(
    '/v1/providers',
    {
      access: scope('providers'),
      schema: { summary: 'The installed vendors, and whose key each runs on', response: { 200: Catalogue } },
    },
    (request) => catalogue.read(request.caller),
  )
}
