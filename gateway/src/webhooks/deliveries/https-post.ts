import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { PublicAddresses } from '../../foundation/public-addresses.ts'

/** What a receiver answered. */
export interface Answer {
  status: number
  /** Its first bytes, as text. */
  text: string
}

// Imported, `node:http` would load undici for the classes that it passes on, which takes 14 MB.
const { request } = process.getBuiltinModule('node:http')
const readBytes = 4096
/** How long the rest of an answer is read whose status is known. */
const readWithinMs = 2_000

/**
 * Posts to an address that an org supplied, over a connection of its own to an address that was checked for it: a name
 * that resolves to another address by then is not followed there. No redirect is followed.
 */
export async function post(
  addresses: Pick<PublicAddresses, 'connect' | 'tls'>,
  to: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
): Promise<Answer> {
  const url = new URL(to)
  const isSecure = url.protocol === 'https:'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const socket = await addresses.connect(host, Number(url.port || (isSecure ? 443 : 80)), signal)
  try {
    const connection = isSecure ? await secured(socket, host, addresses.tls, signal) : socket
    const content = Buffer.from(body)
    const sent = request({
      createConnection: () => connection,
      method: 'POST',
      path: `${url.pathname}${url.search}`,
      headers: {
        host: url.host,
        connection: 'close',
        'content-type': 'application/json',
        'content-length': content.length,
        ...headers,
      },
      signal,
    })
    const answered = once(sent, 'response')
    sent.on('error', () => {}) // also after the answer, when the connection is closed below
    sent.end(content)
    const [response] = (await answered) as [IncomingMessage]
    return { status: response.statusCode ?? 0, text: await firstBytes(response) }
  } finally {
    socket.destroy()
  }
}

async function secured(socket: Socket, host: string, tls: PublicAddresses['tls'], signal: AbortSignal) {
  const connection = connectTls({ ...tls, socket, host, ...(isIP(host) === 0 && { servername: host }) })
  const opened = once(connection, 'secureConnect', { signal })
  connection.on('error', () => {})
  await opened
  return connection
}

/** The status says whether it was delivered: what fails after it only shortens what is kept of the answer. */
async function firstBytes(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  const late = setTimeout(() => response.destroy(), readWithinMs)
  try {
    for await (const chunk of response) {
      chunks.push(chunk as Buffer)
      length += (chunk as Buffer).length
      if (length >= readBytes) break
    }
  } catch {
    // what came counts
  } finally {
    clearTimeout(late)
  }
  // Bytes that are no text must not keep PostgreSQL from storing the rest.
  return Buffer.concat(chunks).subarray(0, readBytes).toString('utf8').replaceAll('\0', '')
}
