import { Readable } from 'node:stream'
import multipart from '@fastify/multipart'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { callerGone } from '../http/caller-gone.ts'
import { authenticate } from '../http/authentication.ts'
import type { Parts, Server } from '../http/server.ts'
import { isOpenAiTranscription } from '../foundation/openai-requests.ts'
import { asked } from './fields.ts'
import { HeldBytes } from './held-bytes.ts'
import { answerOf } from './openai-answers.ts'
import { TranscriptEvents } from './transcript-events.ts'
import { Transcriptions } from './transcriptions.ts'
import { readUpload } from './upload.ts'

const mostHeldBytes = 1024 * 1024 * 1024
const eventHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}

export async function transcriptionRoutes(server: Server, parts: Parts) {
  const transcriptions = new Transcriptions(parts)
  const heldBytes = new HeldBytes(mostHeldBytes)
  await server.register(multipart)
  // what is no form is refused in our words, after its sender is known
  server.addContentTypeParser('*', (_request, payload, done) => {
    payload.resume()
    done(null)
  })

  server.addHook('onRequest', authenticate(parts.gateway, 'transcriptions'))

  server.post('/v1/audio/transcriptions', (request, reply) => heard(request, reply))
  server.post('/v1/audio/translations', (request, reply) => {
    request.isOpenAi = true // this path is OpenAI's
    return heard(request, reply, { translate: true })
  })

  async function heard(request: FastifyRequest, reply: FastifyReply, how: { translate?: boolean } = {}) {
    const hold = heldBytes.hold()
    const gone = callerGone(reply)
    const events = new TranscriptEvents()
    try {
      const upload = await readUpload(request, hold)
      request.isOpenAi ||= isOpenAiTranscription(upload.fields)
      const wanted = asked(upload.fields, request.isOpenAi)
      const listening = { ...how, upload, hold, gone, ...(wanted.isEvents && { tell: events.tell }) }
      const whole = transcriptions.transcribe(request.entered.key_id, wanted, listening)
      const told = wanted.isEvents ? await events.begin(whole, request.log) : undefined
      if (told) {
        reply.headers(eventHeaders).send(Readable.from(told, { objectMode: false }))
        await whole.catch(() => {}) // its file is held until it is heard; the events say what failed
        return reply
      }
      const answer = answerOf(await whole, wanted)
      return answer.type === undefined ? reply.send(answer.body) : reply.type(answer.type).send(answer.text)
    } finally {
      hold.release()
    }
  }
}
