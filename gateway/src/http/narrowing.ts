import type { FastifyRequest } from 'fastify'
import type { Caller } from '../foundation/caller.ts'
import { forbidden, listed } from '../foundation/refusals.ts'

/** Refuses an agent outside the list of a person who works on some agents only. */
export function refuseOutsideList(caller: Caller, agent: string) {
  if (caller.agents.length === 0 || caller.agents.includes(agent)) return
  throw forbidden(`this key works on ${listed(caller.agents)} alone`)
}

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

/** Judged before anything says whether that agent exists. */
export async function narrow(request: FastifyRequest) {
  for (const agent of agentsNamed(request)) refuseOutsideList(request.caller, agent)
}
