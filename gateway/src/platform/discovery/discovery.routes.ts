import { Discovery } from '@switchroom/contract/discovery'
import { open } from '../../http/access.ts'
import type { Settings } from '../../foundation/settings.ts'
import type { Server } from '../../http/server.ts'
import type { DiscoveryDocument } from './discovery.ts'

type Addresses = Pick<Settings, 'voiceUrl' | 'voiceSocketUrl'>

export function discoveryRoutes(server: Server, discovery: DiscoveryDocument, addresses: Addresses) {
  const link = linkOf(addresses)
  server.get(
    '/.well-known/svc',
    { access: open, schema: { summary: 'What this deployment is', response: { 200: Discovery } } },
    async (_, reply) => {
      // The document has six fields and no more; the voice server's addresses are in a header.
      if (link !== '') reply.header('link', link)
      return discovery.read()
    },
  )
}

const linkOf = ({ voiceUrl, voiceSocketUrl }: Addresses) =>
  [
    ...(voiceUrl === undefined ? [] : [`<${voiceUrl}>; rel="voice-server"`]),
    ...(voiceSocketUrl === undefined ? [] : [`<${voiceSocketUrl}>; rel="voice-server-socket"`]),
  ].join(', ')
