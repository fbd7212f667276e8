import { CallShape } from '@switchroom/contract/app-events'
import {
  eventFrames,
  framesFromApp,
  framesFromChat,
  framesToApp,
  framesToChat,
} from '@switchroom/contract/app-socket'
import { ChatAsked } from '@switchroom/contract/chat'
import * as summaries from './summaries.ts'

type Json = Record<string, unknown>

/** A frame of a socket: its schema, and what it means. */
export interface DocumentedFrame {
  /** Unique in the document; an event's is the event's name. */
  key: string
  /** The `type` on the wire. */
  type: string
  summary: string
  schema: Json
}

const documented = (schemas: Record<string, unknown>, meanings: Record<string, string>): DocumentedFrame[] =>
  Object.entries(schemas).map(([key, schema]) => {
    const plain = JSON.parse(JSON.stringify(schema)) as { properties: { type: { const: string } } }
    return { key, type: plain.properties.type.const, summary: meanings[key] ?? '', schema: plain }
  })

export const appFrames = {
  fromApp: documented(framesFromApp, summaries.ofFramesFromApp),
  toApp: documented(framesToApp, summaries.ofFramesToApp),
  events: documented(eventFrames, summaries.ofEvents).map((frame) => ({
    ...frame,
    key: `event.${frame.key}`,
  })),
}
export const chatFrames = {
  fromChat: documented(framesFromChat, summaries.ofFramesFromChat).map(chatKey),
  toChat: documented(framesToChat, summaries.ofFramesToChat).map(chatKey),
}

function chatKey(frame: DocumentedFrame): DocumentedFrame {
  return { ...frame, key: `chat.${frame.key}` }
}

/** What the gateway answers to a frame. */
const answers: Record<string, string[]> = {
  'agent.register': ['agent.registered', 'refused'],
  'line.register': ['ready', 'lineRefused'],
  'call.route': ['lineCallRouted', 'call.route_failed', 'refused'],
  'tool.result': ['tool.received', 'refused'],
  'chat.message': ['chat.heard', 'chat.refusedMessage'],
}

/** The AsyncAPI 3 document of the gateway's sockets, from the contract's schemas. */
export function asyncApi(): Json {
  const [received, sent] = [appFrames.fromApp, [...appFrames.toApp, ...appFrames.events]]
  const all = [...received, ...sent, ...chatFrames.fromChat, ...chatFrames.toChat]
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Switchroom sockets',
      version: '1',
      description:
        'The app socket, over which a program holds agents and phone lines, and the chat socket. docs/protocol.md says when each frame is sent. Fields and types that you do not know may come: ignore them.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    servers: {
      gateway: {
        host: '127.0.0.1:8080',
        protocol: 'ws',
        description: 'The gateway that `npm start` serves; wss over https.',
        security: [{ $ref: '#/components/securitySchemes/key' }],
      },
    },
    channels: {
      apps: channel('/v1/apps', 'One app: its agents, its lines and their calls.', [...received, ...sent]),
      chat: {
        ...channel('/v1/chat', 'A written conversation, from the contact’s side.', [
          ...chatFrames.fromChat,
          ...chatFrames.toChat,
        ]),
        bindings: { ws: { method: 'GET', query: withRefs(plainOf(ChatAsked)) } },
      },
    },
    operations: Object.fromEntries([
      ...received.map((frame) => operation('receive', 'apps', frame)),
      ...sent.map((frame) => operation('send', 'apps', frame)),
      ...chatFrames.fromChat.map((frame) => operation('receive', 'chat', frame)),
      ...chatFrames.toChat.map((frame) => operation('send', 'chat', frame)),
    ]),
    components: {
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description:
            'A key with the scope `app` for the app socket, `talk` for the chat socket, in the header `Authorization` of the upgrade. A key of a person names the environment in `svc-env`.',
        },
      },
      messages: Object.fromEntries(all.map((frame) => [frame.key, message(frame)])),
      schemas: {
        Call: plainOf(CallShape),
        ...Object.fromEntries(all.map(({ key, schema }) => [key, withRefs(schema)])),
      },
    },
  }
}

const plainOf = (schema: unknown) => JSON.parse(JSON.stringify(schema)) as Json

const channel = (address: string, description: string, frames: readonly DocumentedFrame[]): Json => ({
  address,
  description,
  messages: Object.fromEntries(frames.map(({ key }) => [key, { $ref: `#/components/messages/${key}` }])),
  bindings: { ws: { method: 'GET' } },
})

const message = ({ key, type, summary }: DocumentedFrame): Json => ({
  name: type,
  title: key,
  summary,
  payload: { $ref: `#/components/schemas/${key}` },
})

/** As the gateway sees it: it receives what apps send. */
function operation(action: 'send' | 'receive', on: string, { key, summary }: DocumentedFrame) {
  const answered = answers[key]?.map((answer) => ({ $ref: `#/channels/${on}/messages/${answer}` }))
  const described = {
    action,
    channel: { $ref: `#/channels/${on}` },
    summary,
    messages: [{ $ref: `#/channels/${on}/messages/${key}` }],
    ...(answered && { reply: { channel: { $ref: `#/channels/${on}` }, messages: answered } }),
  }
  return [`${action}.${key}`, described] as const
}

const callText = JSON.stringify(plainOf(CallShape))

/** A Call is described once. */
function withRefs<Part>(part: Part): Part {
  if (typeof part !== 'object' || part === null) return part
  if (JSON.stringify(part) === callText) return { $ref: '#/components/schemas/Call' } as Part
  if (Array.isArray(part)) return part.map(withRefs) as Part
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, withRefs(value)])) as Part
}
