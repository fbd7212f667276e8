import type { Entered, VoiceDoing } from '@switchroom/contract/voice-server'
import type { FastifyRequest } from 'fastify'
import type { GatewayClient } from '../gateway/gateway-client.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller, on routes that check a key. */
    entered: Entered
  }
}

/** A key in a query, a cookie or under another scheme is no key. */
export const bearerOf = ({ headers }: FastifyRequest): string | null =>
  /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? null

/** Runs before the body is read: checks the key, and whether its org may make the request. */
export const authenticate =
  (gateway: GatewayClient, doing: VoiceDoing, keyOf: (request: FastifyRequest) => string | null = bearerOf) =>
  async (request: FastifyRequest) => {
    request.entered = await gateway.enter(doing, keyOf(request))
  }
