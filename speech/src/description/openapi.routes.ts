import { openApiDocument } from '@switchroom/contract/openapi/document'
import metadata from '../../package.json' with { type: 'json' }
import type { Server } from '../http/server.ts'
import { voiceOperations, voiceSchemas } from './voice-operations.ts'

/** The description is made when it is first asked for; asked without a key. */
export async function openApiRoutes(server: Server) {
  let document: object | undefined
  server.get('/openapi.json', async () => (document ??= describe()))
}

const describe = () =>
  openApiDocument({
    title: 'Switchroom speech',
    version: metadata.version,
    description:
      'Speech without an agent or a call. Every refusal is `{"error": "<sentence>", "code": "<CODE>"}` with its status. Live transcription is a WebSocket at `/v1/audio/transcriptions/stream` and is not listed here.',
    servers: [{ url: '/', description: 'this voice server' }],
    tags: {
      Speech: 'Text to speech.',
      Transcription: 'Speech to text.',
      Voices: 'Voices, to choose from.',
      Models: 'Models of speech, to choose from.',
      Deployment: 'What this voice server is and how it does.',
    },
    securitySchemes: {
      key: { type: 'http', scheme: 'bearer', description: "a person's key or a server token" },
    },
    names: new Map(Object.entries(voiceSchemas)),
    operations: voiceOperations,
  })
