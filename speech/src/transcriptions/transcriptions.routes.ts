import multipart from '@fastify/multipart'
import { callerGone } from '../http/caller-gone.ts'
import { authenticate } from '../http/authentication.ts'
import type { Parts, Server } from '../http/server.ts'
import { plainAnswer, verboseAnswer } from './answers.ts'
import { asked } from './fields.ts'
import { HeldBytes } from './held-bytes.ts'
import { Transcriptions } from './transcriptions.ts'
import { readUpload } from './upload.ts'

const mostHeldBytes = 1024 * 1024 * 1024

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

  server.post('/v1/audio/transcriptions', async (request, reply) => {
    const hold = heldBytes.hold()
    const gone = callerGone(reply)
    try {
      const upload = await readUpload(request, hold)
      const wanted = asked(upload.fields)
      const heard = await transcriptions.transcribe(request.entered.key_id, wanted, upload, hold, gone)
      if (wanted.responseFormat === 'text')
        return reply.type('text/plain; charset=utf-8').send(heard.transcript.text)
      return reply.send(wanted.responseFormat === 'json' ? plainAnswer(heard) : verboseAnswer(heard))
    } finally {
      hold.release()
    }
  })
}
