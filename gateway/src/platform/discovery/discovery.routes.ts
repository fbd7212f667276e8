import { Discovery } from '@switchroom/contract/discovery'
import { open } from '../../http/access.ts'
import type { Server } from '../../http/server.ts'
import type { DiscoveryDocument } from './discovery.ts'

export function discoveryRoutes(server: Server, discovery: DiscoveryDocument) {
  server.get(
    '/.well-known/svc',
    { access: open, schema: { summary: 'What this deployment is', response: { 200: Discovery } } },
    async () => discovery.read(),
  )
}
