import { Discovery } from '@switchroom/contract/discovery'
import { open } from '../../http/access.ts'
import type { Server } from '../../http/server.ts'
import type { DiscoveryDocument } from './discovery.ts'

export function discoveryRoutes(server: Server, discovery: DiscoveryDocument, voiceUrl: string | undefined) {
  server.get(
    '/.well-known/svc',
    { access: open, schema: { summary: 'What this deployment is', response: { 200: Discovery } } },
    async (_, reply) => {
      // The document has six fields and no more; the voice server's address is in a header.
      if (voiceUrl !== undefined) reply.header('link', `<${voiceUrl}>; rel="voice-server"`)
      return discovery.read()
    },
  )
}
