import type { FastifyReply, FastifyRequest } from 'fastify'
import { outsideList, type Caller } from '../foundation/caller.ts'

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

/** The agent of a call in the caller's org and environment; calls are kept by a room that this one knows nothing of. */
export type AgentOfCall = (caller: Caller, call: string) => Promise<string | undefined>

/**
 * Refuses an agent outside the list of a person who works on some agents only, named as itself or by one of its
 * calls, before anything says whether that agent exists.
 */
export const narrowing =
  (agentOfCall: AgentOfCall) =>
  (request: FastifyRequest, _reply: FastifyReply, done: (refusal?: Error) => void) => {
    const { caller } = request
    if (caller.agents.length === 0) return done()
    const judge = (agents: readonly string[]) =>
      done(agents.every((agent) => caller.agents.includes(agent)) ? undefined : outsideList(caller))
    const call = isRecord(request.params) ? request.params['call'] : undefined
    if (typeof call !== 'string') return judge(agentsNamed(request))
    agentOfCall(caller, call).then(
      (agent) => judge([...agentsNamed(request), ...(agent ? [agent] : [])]),
      done,
    )
  }
