import type { FastifyReply } from 'fastify'
import { Refusal } from '../foundation/refusals.ts'

/** Why a vendor's request was cancelled: the caller is gone, so no one reads this sentence. */
export class CallerGone extends Refusal {
  constructor(sentence: string) {
    super(499, 'CALLER_GONE', sentence)
  }
}

/** Aborts if the caller hangs up before the whole response is sent, so that the work for it stops. */
export function callerGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  const leave = () => gone.abort(new CallerGone('the caller hung up'))
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) leave()
  })
  if (reply.raw.destroyed) leave()
  return gone.signal
}
