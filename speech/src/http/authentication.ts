import type { Entered, VoiceDoing } from '@switchroom/contract/voice-server'
import type { FastifyRequest } from 'fastify'
import type { GatewayClient } from '../gateway/gateway-client.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is calling; on routes that let people enter. */
    entered: Entered
  }
}

/** A key in a query, a cookie or under another scheme is no key. */
export const bearerOf = ({ headers }: FastifyRequest): string | null =>
  /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? null

/** The first that happens to a request, before its body is looked at: whose it is, and whether they may. */
export const entering =
  (gateway: GatewayClient, doing: VoiceDoing, keyOf: (request: FastifyRequest) => string | null = bearerOf) =>
  async (request: FastifyRequest) => {
    request.entered = await gateway.enter(doing, keyOf(request))
  }
