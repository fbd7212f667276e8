import type { FastifyReply } from 'fastify'
import { Refusal } from '../foundation/refusals.ts'

/** Why a vendor was let go: nobody listens any more, and nobody reads this either. */
export class CallerGone extends Refusal {
  constructor(sentence: string) {
    super(499, 'CALLER_GONE', sentence)
  }
}

/** Aborts when the caller hangs up before the answer is out, so that nobody works for nobody. */
export function callerGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  const leave = () => gone.abort(new CallerGone('the caller hung up'))
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) leave()
  })
  if (reply.raw.destroyed) leave()
  return gone.signal
}
