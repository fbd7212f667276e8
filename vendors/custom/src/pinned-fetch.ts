import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { Readable } from 'node:stream'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import type { Reach } from '@switchroom/kit/addresses'
import { dial, nameOf, placeOf } from '@switchroom/kit/dialling'
import { agents, ahead, hasFree, isOpenedAhead } from './pinned-agents.ts'

interface Connecting {
  lookup: LookupFunction
  secureContext?: SecureContext
}

const dialMs = 10_000

/** A fetch that connects to these addresses alone, under the name and the certificate of the host. */
export function pinnedFetch(
  addresses: readonly string[],
  ca?: string,
): Required<Pick<Reach, 'fetch' | 'connect'>> {
  const how = { lookup: lookupOf(addresses), ...(ca !== undefined && { secureContext: trusting(ca) }) }
  const refuseUnchecked = (url: URL) => {
    const { hostname: host } = placeOf(url)
    if (isIP(host) && !addresses.includes(host)) throw new Error(`${host} was not checked`)
  }
  return {
    async fetch(url, request) {
      refuseUnchecked(url)
      try {
        return await asked(url, request, how)
      } catch (error) {
        if (!(error instanceof StaleConnection)) throw error
        return asked(url, request, how)
      }
    },
    async connect(url) {
      refuseUnchecked(url)
      const place = placeOf(url)
      if (!hasFree(place)) await ahead.open(nameOf(place), () => dial(place, { ...how, timeoutMs: dialMs }))
    },
  }
}

/** The other side closed a connection that was kept, before it answered a byte to this request. */
class StaleConnection extends Error {}

async function asked(url: URL, { method, headers, body, signal }: RequestInit, how: Connecting) {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const secure = url.protocol === 'https:'
  const request = (secure ? https : http).request(url, {
    agent: agents[secure ? 'https:' : 'http:'],
    method: method ?? 'GET',
    headers: { ...(headers as Record<string, string>), 'accept-encoding': 'identity' },
    ...how,
    ...(signal && { signal }),
  })
  let readBefore: number | undefined
  request.once('socket', (socket) => {
    if (request.reusedSocket || isOpenedAhead(socket)) readBefore = socket.bytesRead
  })
  request.once('response', resolve)
  request.on('error', (error: NodeJS.ErrnoException) => {
    const isStale = error.code === 'ECONNRESET' && request.socket?.bytesRead === readBefore
    reject(isStale ? new StaleConnection(error.message) : error)
  })
  request.end(body)
  return responseOf(await promise)
}

const contexts = new Map<string, SecureContext>()

/** Made once, for it takes 50 ms; a deployment has one root of its own. */
function trusting(ca: string): SecureContext {
  const known = contexts.get(ca) ?? createSecureContext({ ca: [...getCACertificates('default'), ca] })
  contexts.set(ca, known)
  return known
}

const bodiless = new Set([204, 205, 304])

function responseOf(answer: IncomingMessage): Response {
  const { statusCode: status = 0 } = answer
  const headers = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  )
  if (bodiless.has(status)) answer.resume()
  // The two types of a web stream, of the platform and of the DOM, are the same at run time.
  const body = bodiless.has(status) ? null : (Readable.toWeb(answer) as ReadableStream)
  return new Response(body, { status, headers })
}

function lookupOf(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_host, { all }, done) => {
    const [first] = found
    if (all) done(null, found)
    else if (first) done(null, first.address, first.family)
    else done(new Error('no address was checked'), '', 0)
  }
}
