import type { FastifyReply } from 'fastify'
import { Refusal } from '../foundation/refusals.ts'

/** Aborts if the caller hangs up before the whole response is sent, so that the work for it stops. */
export function callerGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort(new Refusal(499, 'the caller hung up'))
  })
  return gone.signal
}
