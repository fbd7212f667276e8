import { RoomAgentDispatch, RoomConfiguration } from '@livekit/protocol'
import { AccessToken } from 'livekit-server-sdk'
import type { LiveKitAddress } from './livekit-server.ts'
import type { BrowserCall, Ticket } from './plane.ts'

/** Signed here: the server makes the room, and sends the worker there, when the browser comes. */
export async function roomTicket(
  { url, key, secret }: LiveKitAddress,
  room: string,
  { call, org, env, agent, fleet, ttlS }: BrowserCall,
): Promise<Ticket> {
  const token = new AccessToken(key, secret, { identity: 'browser', ttl: ttlS })
  token.addGrant({ roomJoin: true, room, canPublish: true, canSubscribe: true, canPublishData: false })
  const metadata = JSON.stringify({ call, org, agent, env })
  token.roomConfig = new RoomConfiguration({
    agents: [new RoomAgentDispatch({ agentName: fleet, metadata })],
  })
  return { url: url.replace(/^http/, 'ws'), token: await token.toJwt() }
}
