import type { FastifyReply, FastifyRequest } from 'fastify'
import { outsideList } from '../foundation/caller.ts'

/** Wherever a request names an agent: in its path, as `?agent=`, or at the top of its body. */
function agentsNamed(request: FastifyRequest): string[] {
  const named: string[] = []
  for (const part of [request.params, request.query, request.body]) {
    const agent = isRecord(part) ? part['agent'] : undefined
    if (typeof agent === 'string') named.push(agent)
    else if (Array.isArray(agent)) named.push(...agent.filter((item) => typeof item === 'string'))
  }
  return named
}

const isRecord = (part: unknown): part is Record<string, unknown> =>
  typeof part === 'object' && part !== null && !Array.isArray(part)

/**
 * Refuses an agent outside the list of a person who works on some agents only, before anything says whether
 * that agent exists.
 */
export function narrow(request: FastifyRequest, _reply: FastifyReply, done: (refusal?: Error) => void) {
  const { caller } = request
  if (caller.agents.length === 0) return done()
  const outside = agentsNamed(request).some((agent) => !caller.agents.includes(agent))
  done(outside ? outsideList(caller) : undefined)
}
