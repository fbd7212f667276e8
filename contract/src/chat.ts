import { Type, type Static } from 'typebox'
import { wholeNumberText } from './shapes.ts'

// Frames on the chat socket, and how one is opened.

export const ChatAsked = Type.Object({
  agent: Type.String(),
  call: Type.Optional(
    Type.String({ description: 'an open call of this agent, to resume after a lost connection' }),
  ),
  after: Type.Optional(
    wholeNumberText('with `call`: the seq of the last frame seen, 0 for all of them', { minimum: 0 }),
  ),
  contact: Type.Optional(
    Type.String({ description: 'whose conversation it is: their number, as +34911234567' }),
  ),
  metadata: Type.Optional(
    Type.String({
      description:
        'of a new call, handed to the agent as `call.metadata`: a JSON object, such as {"name": "Ana"}; at most 4096 bytes',
    }),
  ),
})
export type ChatAsked = Static<typeof ChatAsked>

/** Client to gateway. A message sent again under its `id` is taken once. */
export const ChatMessage = Type.Object({
  type: Type.Literal('message'),
  text: Type.String(),
  id: Type.Optional(Type.String({ description: '1 to 64 characters' })),
})
export type ChatMessage = Static<typeof ChatMessage>

/** Client to gateway: the conversation is over. */
export const ChatEnd = Type.Object({ type: Type.Literal('end') })

/** Gateway to client. `seq` is the log's cursor: a client that reconnects asks for what came after it. */
export type ChatFrame =
  | { type: 'started'; call: string; seq: number }
  /** A message of this client, or of another on the same call, is in the log. */
  | { type: 'heard'; id: string; messageId: string; text: string; seq: number }
  | { type: 'message'; text: string; messageId: string; seq: number }
  | { type: 'ended'; reason: string; seq: number }
  /** What the client sent was refused; the socket stays open. */
  | { type: 'error'; detail: string }
