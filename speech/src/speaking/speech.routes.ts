import { Readable } from 'node:stream'
import { callerGone } from '../caller-gone.ts'
import { entering } from '../entering.ts'
import { readJsonBodies } from '../json-body.ts'
import type { Parts, Server } from '../server.ts'
import { readSpeech } from './asked-speech.ts'
import { eventsOf, headersOf, soundOf } from './speech-answers.ts'
import { Speech } from './speech.ts'

/** A listener who takes nothing for this long is gone, even if nobody told; a vendor may be silent for less. */
const leastStallMs = 60_000

export async function speechRoutes(server: Server, parts: Parts) {
  const speech = new Speech(parts)
  const stallMs = Math.max(leastStallMs, 2 * parts.settings.speechTimeoutMs)
  readJsonBodies(server)

  server.addHook('onRequest', entering(parts.gateway, 'speech'))

  server.post('/v1/audio/speech', async (request, reply) => {
    const asked = readSpeech(request.body)
    const saying = await speech.begin(request.entered.key_id, asked, callerGone(reply))
    const answer = asked.timestamps
      ? eventsOf(saying, asked, request.id, request.log)
      : soundOf(saying, request.log)
    reply.raw.setTimeout(stallMs, () => reply.raw.destroy())
    return reply.headers(headersOf(asked)).send(Readable.from(answer, { objectMode: false }))
  })
}
