import type { Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import { callbackify } from 'node:util'
import type { RequestInit as AgentRequest } from 'undici'

export interface FetchLimits {
  bodyBytes: number
  /** For the whole exchange, from the look-up to the last byte. */
  timeMs: number
}

type Connect = (host: string, port: number, signal: AbortSignal) => Promise<Socket>

/** A fetch for addresses that others supply. Every request makes a connection of its own, so that each is checked. */
export function guardedFetch(connect: Connect, tls: { secureContext?: SecureContext }, limits: FetchLimits) {
  const reach = callbackify(connect)

  return async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(input)
    if (url.protocol !== 'https:') throw new Error(`${url.host} is asked over https alone`)
    const { Agent, buildConnector, fetch: fetchWith } = await import('undici') // 6 MB that most gateways never need
    const secured = buildConnector({ allowH2: false, ...tls })
    const signal = AbortSignal.any([
      AbortSignal.timeout(limits.timeMs),
      ...(init.signal ? [init.signal] : []),
    ])
    const dispatcher = new Agent({
      pipelining: 0,
      connect: (options, done) =>
        reach(options.hostname, Number(options.port || 443), signal, (error, httpSocket) =>
          error ? done(error, null) : secured({ ...options, httpSocket }, done),
        ),
    })
    try {
      const asked = { ...init, signal, dispatcher, redirect: 'manual' } as AgentRequest
      const answer = await fetchWith(url, asked).catch((error: Error) => {
        throw error.cause instanceof Error ? error.cause : error
      })
      if (answer.status >= 300 && answer.status < 400)
        throw new Error(`${url.host} redirects, and no redirect is followed`)
      const body = await readWithin(limits.bodyBytes, url.host, answer.body)
      const { status, statusText } = answer
      return new Response(body, { status, statusText, headers: [...answer.headers] })
    } finally {
      await dispatcher.destroy()
    }
  }
}

async function readWithin(limitBytes: number, host: string, body: AsyncIterable<Uint8Array> | null) {
  if (body === null) return null
  const chunks: Uint8Array[] = []
  let lengthBytes = 0
  for await (const chunk of body) {
    lengthBytes += chunk.byteLength
    if (lengthBytes > limitBytes) throw new Error(`${host} answers more than ${limitBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
