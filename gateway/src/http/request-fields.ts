import type { FastifyRequest } from 'fastify'

/** What a line about a request names: its org, and its call if the path has one. */
export function aboutRequest({ params, caller }: FastifyRequest, status: number) {
  const { call } = (params ?? {}) as { call?: unknown }
  // what was asked for in vain may be anything, a secret included
  const isCall = typeof call === 'string' && (status < 400 || /^call_[\w-]{1,64}$/.test(call))
  // an open route has no caller
  const org = (caller as FastifyRequest['caller'] | undefined)?.org
  return { ...(isCall && { call }), ...(org !== undefined && { org }) }
}
