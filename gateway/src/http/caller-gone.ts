import type { FastifyReply } from 'fastify'
import { Refusal } from '../foundation/refusals.ts'

/** Aborts when the caller hangs up before the answer is out, so that nobody works for nobody. */
export function callerGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort(new Refusal(499, 'the caller hung up'))
  })
  return gone.signal
}
