import { Type, type Static } from 'typebox'

export const OpenBrowserCall = Type.Object({
  agent: Type.String(),
  metadata: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'handed to the agent as `call.metadata`; at most 4096 bytes of JSON',
    }),
  ),
  ttl_s: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 600,
      description: 'how long the token is valid; default 60',
    }),
  ),
})
export type OpenBrowserCall = Static<typeof OpenBrowserCall>

export const IceServer = Type.Object({
  urls: Type.Array(Type.String()),
  username: Type.Optional(Type.String()),
  credential: Type.Optional(Type.String()),
})
export type IceServer = Static<typeof IceServer>

export const OpenedBrowserCall = Type.Object({
  call: Type.String(),
  server_url: Type.String({
    description:
      'a LiveKit server (ws: or wss:), to be joined with its own client, or an address (http: or https:) that takes an SDP offer by POST',
  }),
  participant_token: Type.String({ description: 'shown here alone' }),
  expires_at: Type.Integer({ description: 'epoch seconds' }),
  ice_servers: Type.Array(IceServer, {
    description: 'the `iceServers` of the `RTCPeerConnection`; empty for a LiveKit server, which has its own',
  }),
})
export type OpenedBrowserCall = Static<typeof OpenedBrowserCall>

const Sdp = Type.String({ maxLength: 65536, description: 'with every candidate inside: nothing trickles' })

/** A browser offers its microphone, with the participant token as its bearer. */
export const OfferSound = Type.Object({ sdp: Sdp })
export type OfferSound = Static<typeof OfferSound>

export const AnsweredSound = Type.Object({ call: Type.String(), sdp: Sdp })
export type AnsweredSound = Static<typeof AnsweredSound>

/** What a page learns of its call with the participant token. */
export const PageCall = Type.Object({
  call: Type.String(),
  agent: Type.String(),
  server_url: OpenedBrowserCall.properties.server_url,
  ice_servers: OpenedBrowserCall.properties.ice_servers,
})
export type PageCall = Static<typeof PageCall>

/** Sent by `navigator.sendBeacon`, which has no headers: the body is the participant token. */
export const HangUpFromPage = Type.String({ maxLength: 8192, description: 'the participant token' })

/** The entries of its call that a page is shown, with these fields of their data and no others. */
export const pageEventFields = {
  'call.started': [],
  'user.speaking': ['text'],
  'user.message': ['messageId', 'text'],
  'turn.end': [],
  'turn.continued': [],
  'bot.speaking': ['messageId'],
  'bot.word': ['messageId', 'word'],
  'bot.finished': ['messageId'],
  'bot.interrupted': ['messageId'],
  'agent.message': ['messageId', 'text'],
  'call.ended': ['reason'],
} as const satisfies Record<string, readonly string[]>
export type PageEventType = keyof typeof pageEventFields

/** The `data:` of one server-sent event to a page. */
export interface PageEvent {
  type: PageEventType
  /** Epoch seconds. */
  ts: number
  data: { messageId?: string; text?: string; word?: string; reason?: string }
}

/** As a page reads it: `id: <seq>`, `event: <type>`, `data: <PageEvent>`. */
export const PageEventsStreamed = Type.String({
  description: 'server-sent events: the transcript as it is said, whose turn it is, and the end of the call',
})
