import { randomBytes } from 'node:crypto'
import { RoomAgentDispatch, RoomConfiguration, TrackSource } from '@livekit/protocol'
import { AccessToken } from 'livekit-server-sdk'
import type { LiveKitAddress } from './server.ts'
import type { BrowserCall, Ticket } from '../plane.ts'

const workersTtlS = 60

/** Signed here: the server makes the room, and sends the worker there, when the browser comes. */
export async function roomTicket(
  { url, key, secret }: LiveKitAddress,
  room: string,
  { call, org, env, agent, fleet, ttlS }: BrowserCall,
): Promise<Ticket> {
  const token = new AccessToken(key, secret, { identity: 'browser', ttl: ttlS })
  token.addGrant({
    roomJoin: true,
    room,
    canPublish: true,
    canPublishSources: [TrackSource.MICROPHONE],
    canSubscribe: true,
    canPublishData: false,
  })
  const metadata = JSON.stringify({ call, org, agent, env })
  token.roomConfig = new RoomConfiguration({
    agents: [new RoomAgentDispatch({ agentName: fleet, metadata })],
  })
  return { url: url.replace(/^http/, 'ws'), token: await token.toJwt() }
}

/** Lets one more process of ours into a room, beside the worker that was dispatched. */
export async function workerToken({ key, secret }: LiveKitAddress, room: string): Promise<string> {
  const token = new AccessToken(key, secret, {
    identity: `agent-${randomBytes(6).toString('hex')}`,
    ttl: workersTtlS,
  })
  token.kind = 'agent'
  token.addGrant({ roomJoin: true, room, canPublish: true, canSubscribe: true, agent: true })
  return token.toJwt()
}
