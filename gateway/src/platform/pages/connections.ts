import type { Settings } from '../../foundation/settings.ts'

export type PageSettings = Pick<Settings, 'baseUrl'> & {
  telephony: Pick<Settings['telephony'], 'mediaServer' | 'sandboxMediaServer'>
}

/** What the console connects to beside its own origin: the gateway under its public name, and the media servers. */
export function connectionsOf({ baseUrl, telephony }: PageSettings): string[] {
  const media = [telephony.mediaServer, telephony.sandboxMediaServer].flatMap((server) => server?.url ?? [])
  return [...new Set([baseUrl, ...media].flatMap(originsOf))]
}

/** Requests and sockets; LiveKit's cloud sends its clients on to a server of their region. */
function originsOf(url: string): string[] {
  const { protocol, host, hostname } = new URL(url)
  const hosts = hostname.endsWith('.livekit.cloud') ? [host, '*.livekit.cloud'] : [host]
  const schemes = protocol === 'https:' ? ['https', 'wss'] : ['http', 'ws']
  return hosts.flatMap((each) => schemes.map((scheme) => `${scheme}://${each}`))
}
