import { Readable } from 'node:stream'
import { callerGone } from '../http/caller-gone.ts'
import { bearerOf } from '../http/authentication.ts'
import { readJsonBodies } from '../http/json-body.ts'
import type { Parts, Server } from '../http/server.ts'
import type { Settings } from '../foundation/settings.ts'
import { isOpenAiSpeech } from '../foundation/openai-requests.ts'
import { answerOf, headersOf } from './speech-answers.ts'
import { fieldsOf, readSpeech, type AskedSpeech } from './speech-request.ts'
import { Speech } from './speech.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What is to be said, once nothing is wrong with it; on the route of speech. */
    asked?: AskedSpeech
  }
}

/** A listener that reads nothing for this long is gone, even without a close; a vendor may be silent for less. */
const usualStallMs = ({ speechTimeoutMs }: Settings) => Math.max(60_000, 2 * speechTimeoutMs)

export async function speechRoutes(server: Server, parts: Parts, stallMs = usualStallMs(parts.settings)) {
  const speech = new Speech(parts)
  readJsonBodies(server)

  // The key is checked together with the fields; if a field is wrong, a refusal of the key still comes first.
  server.setErrorHandler(async (error, request) => {
    if (!request.asked) await parts.gateway.enter('speech', bearerOf(request))
    throw error
  })

  server.post('/v1/audio/speech', async (request, reply) => {
    const fields = fieldsOf(request.body)
    const isOpenAi = request.isOpenAi === true || isOpenAiSpeech(fields)
    request.isOpenAi = isOpenAi
    const asked = readSpeech(fields, isOpenAi)
    request.asked = asked
    const saying = await speech.begin(bearerOf(request), asked, callerGone(reply))
    const answer = answerOf(saying, asked, request)
    reply.raw.setTimeout(stallMs, () => reply.raw.destroy())
    return reply.headers(headersOf(asked)).send(Readable.from(answer, { objectMode: false }))
  })
}
