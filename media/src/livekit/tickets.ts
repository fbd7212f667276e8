import { randomBytes } from 'node:crypto'
import { RoomAgentDispatch, RoomConfiguration, TrackSource } from '@livekit/protocol'
import { AccessToken, TokenVerifier } from 'livekit-server-sdk'
import type { LiveKitAddress } from './server.ts'
import type { BrowserCall, Ticket } from '../plane.ts'
import { roomPrefix } from './names.ts'

const workersTtlS = 60
const browserIdentity = 'browser'
/** A ticket that no longer lets a browser in still says which call its browser is in. */
const knownForS = 24 * 3600

/** Signed here: the server makes the room, and sends the worker there, when the browser comes. */
export async function roomTicket(
  { url, key, secret }: LiveKitAddress,
  room: string,
  { call, org, env, agent, fleet, ttlS }: BrowserCall,
): Promise<Ticket> {
  const token = new AccessToken(key, secret, { identity: browserIdentity, ttl: ttlS })
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
  return { url: joinUrlOf(url), token: await token.toJwt() }
}

const joinUrlOf = (url: string) => url.replace(/^http/, 'ws')

/** The call that a ticket of ours was made for; null for any other token. */
export async function ticketHolder(
  { url, key, secret }: LiveKitAddress,
  token: string,
): Promise<{ call: string; url: string } | null> {
  const grants = await new TokenVerifier(key, secret).verify(token, knownForS).catch(() => null)
  const room = grants?.video?.room
  if (grants?.sub !== browserIdentity || !room?.startsWith(roomPrefix)) return null
  return { call: room.slice(roomPrefix.length), url: joinUrlOf(url) }
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
