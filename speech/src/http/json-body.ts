import { badRequest } from '../foundation/refusals.ts'
import type { Server } from './server.ts'

/** Reads JSON bodies: an empty one is none, a broken one is a sentence. */
export function readJsonBodies(server: Server) {
  const parse = server.getDefaultJsonParser('error', 'error')
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = String(body)
    if (text.trim() === '') return done(null, undefined)
    void parse(request, text, (error, parsed) =>
      error ? done(badRequest('body: must be a JSON object')) : done(null, parsed),
    )
  })
}
