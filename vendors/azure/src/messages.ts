import { silent } from '@switchroom/kit/failures'
import type { Frame } from '@switchroom/kit/sockets'
import { eventOf } from '@switchroom/kit/server-events'

interface Heading {
  path: string
  request: string
  type?: string
}

/** A text frame: headers as of HTTP, an empty line, and JSON. */
export function textMessage(path: string, request: string, body: object): string {
  return `${headers({ path, request, type: 'application/json' })}\r\n${JSON.stringify(body)}`
}

/** A binary frame: the length of the headers in two bytes, the headers, and sound. No sound is the end of it. */
export function audioMessage(request: string, body: Uint8Array = new Uint8Array(0), type?: string): Buffer {
  const heading = Buffer.from(headers({ path: 'audio', request, ...(type !== undefined && { type }) }))
  const length = Buffer.alloc(2)
  length.writeUInt16BE(heading.length)
  return Buffer.concat([length, heading, body])
}

function headers({ path, request, type }: Heading): string {
  const lines = [`Path: ${path}`, `X-RequestId: ${request}`, `X-Timestamp: ${new Date().toISOString()}`]
  return [...lines, ...(type === undefined ? [] : [`Content-Type: ${type}`]), ''].join('\r\n')
}

/** What a frame of the service is about, and its JSON. */
export function messageOf(frame: Frame): { path: string; body: Record<string, unknown> } {
  const [heading = '', body = ''] = String(frame).split('\r\n\r\n', 2)
  const path = /^path:\s*(\S+)\s*$/im.exec(heading)?.[1]
  if (typeof frame !== 'string' || path === undefined) throw silent('it sent a message without a path')
  return { path: path.toLowerCase(), body: body.trim() === '' ? {} : eventOf(body) }
}
