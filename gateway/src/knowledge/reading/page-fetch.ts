import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { largestDocumentBytes } from '@switchroom/contract/knowledge-names'
import { secondMs } from '../../foundation/clock.ts'
import { HostRefused, type PublicAddresses } from '../../foundation/public-addresses.ts'
import { version } from '../../foundation/version.ts'
import { Unreadable } from './reading-process.ts'

// Imported, `node:http` would load undici for the classes that it passes on, which takes 14 MB.
const { request } = process.getBuiltinModule('node:http')
const fetchedWithinMs = 30 * secondMs
const mostRedirects = 5
const megabyte = 1024 * 1024

type Addresses = Pick<PublicAddresses, 'connect' | 'tls'>

export interface AskedPage {
  url: string
  /** Sent to the host of the address alone. */
  headers: Readonly<Record<string, string>>
  /** What the server said of the content that is known. */
  etag: string | null
  lastModified: string | null
}

export interface FetchedPage {
  content: Buffer
  mediaType: string | null
  etag: string | null
  lastModified: string | null
}

/** Fetches a page over connections to checked addresses, also behind redirects; undefined if it is as before. */
export async function fetchPage(
  addresses: Addresses,
  { url, headers, etag, lastModified }: AskedPage,
  signal: AbortSignal,
): Promise<FetchedPage | undefined> {
  const late = AbortSignal.timeout(fetchedWithinMs)
  const within = AbortSignal.any([late, signal])
  const known = {
    ...(etag !== null && { 'if-none-match': etag }),
    ...(lastModified !== null && { 'if-modified-since': lastModified }),
  }
  let at = new URL(url)
  try {
    for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
      const own = at.origin === new URL(url).origin ? { ...authorization(new URL(url)), ...headers } : {}
      const answer = await ask(addresses, at, { ...own, ...known }, within)
      if (answer.redirect === undefined) return answer.page
      at = nextOf(at, answer.redirect)
    }
  } catch (error) {
    if (error instanceof HostRefused)
      throw new Unreadable(`it cannot be fetched: ${error.message}`, { cause: error })
    if (late.aborted)
      throw new Error(`${at.host} did not answer within ${fetchedWithinMs / secondMs} seconds`, {
        cause: error,
      })
    throw error
  }
  throw new Unreadable(`it redirects more than ${mostRedirects} times`)
}

const authorization = ({ username, password }: URL): Record<string, string> =>
  username === '' && password === ''
    ? {}
    : {
        authorization: `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`,
      }

function nextOf(at: URL, location: string): URL {
  if (!URL.canParse(location, at.href)) throw new Unreadable(`${at.host} redirects to no address`)
  const next = new URL(location, at)
  if (!['http:', 'https:'].includes(next.protocol)) throw new Unreadable(`${at.host} redirects to no page`)
  if (at.protocol === 'https:' && next.protocol === 'http:')
    throw new Unreadable(`${at.host} redirects from https to http`)
  return next
}

interface Answer {
  redirect?: string
  /** Undefined if it is as before. */
  page?: FetchedPage
}

async function ask(
  addresses: Addresses,
  url: URL,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Answer> {
  const isSecure = url.protocol === 'https:'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const socket = await addresses.connect(host, Number(url.port || (isSecure ? 443 : 80)), signal)
  try {
    const connection = isSecure ? await secured(socket, host, addresses.tls, signal) : socket
    const sent = request({
      createConnection: () => connection,
      path: `${url.pathname}${url.search}`,
      headers: {
        host: url.host,
        connection: 'close',
        'user-agent': `Switchroom/${version}`,
        'accept-encoding': 'identity',
        accept: 'text/html, text/markdown, application/pdf, text/plain, */*;q=0.5',
        ...headers,
      },
      signal,
    })
    sent.on('error', () => {}) // also after the answer, when the connection is closed below
    const answered = once(sent, 'response')
    sent.end()
    const [response] = (await answered) as [IncomingMessage]
    return await answerIn(response, url.host)
  } finally {
    socket.destroy()
  }
}

async function answerIn(response: IncomingMessage, host: string): Promise<Answer> {
  const { statusCode: status = 0, headers } = response
  if (status === 304) return {}
  if (status >= 300 && status < 400 && headers.location !== undefined) return { redirect: headers.location }
  if (status === 429 || status >= 500) throw new Error(`${host} answered ${status}`)
  if (status < 200 || status >= 300) throw new Unreadable(`${host} answered ${status}`)
  const page = {
    content: await contentIn(response, host),
    mediaType: headers['content-type'] ?? null,
    etag: headers.etag ?? null,
    lastModified: headers['last-modified'] ?? null,
  }
  return { page }
}

async function contentIn(response: IncomingMessage, host: string): Promise<Buffer> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of response) {
    bytes += (piece as Buffer).length
    if (bytes > largestDocumentBytes)
      throw new Unreadable(`${host} answers more than ${largestDocumentBytes / megabyte} MB`)
    pieces.push(piece as Buffer)
  }
  return Buffer.concat(pieces)
}

async function secured(socket: Socket, host: string, tls: PublicAddresses['tls'], signal: AbortSignal) {
  const connection = connectTls({ ...tls, socket, host, ...(isIP(host) === 0 && { servername: host }) })
  const opened = once(connection, 'secureConnect', { signal })
  connection.on('error', () => {})
  await opened
  return connection
}
