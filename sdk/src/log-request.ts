import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { text } from 'node:stream/consumers'
import { deferred } from './deferred.ts'
import { refusalIn } from './gateway-refusal.ts'

/** The gateway pings every 30 s: this is two missed pings and a moment. */
const usualSilenceMs = 75_000

/** Where a log is, and the headers that open it. */
export interface LogAddress {
  url: string
  path: string
  headers: Record<string, string>
  /** How long without any byte until the connection counts as lost; 75 s by default. */
  silentMs?: number
}

/** An entry of a log, a marker of the stream, or something that is live only. */
export interface LogEvent {
  type: string
  /** Only entries that the log keeps have one. */
  seq?: number
  data: Record<string, unknown>
}

/** Settles when the gateway has accepted the request. */
export async function openEvents(
  log: LogAddress,
  after: number,
  signal?: AbortSignal,
): Promise<AsyncIterable<LogEvent>> {
  const headers = { accept: 'text/event-stream', ...(after > 0 && { 'last-event-id': String(after) }) }
  return eventsIn(await get(log, log.path, headers, signal))
}

export async function readJson<Answer>(
  log: LogAddress,
  query: string,
  signal?: AbortSignal,
): Promise<Answer> {
  const response = await get(log, log.path + query, { accept: 'application/json' }, signal)
  return JSON.parse(await text(response)) as Answer
}

/** On a connection of its own: `fetch` takes several times the CPU for each event. */
async function get(
  log: LogAddress,
  path: string,
  headers: Record<string, string>,
  signal: AbortSignal | undefined,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = deferred<IncomingMessage>()
  const protocol = log.url.startsWith('https:') ? https : http
  const request = protocol.get(log.url + path, {
    agent: false,
    headers: { ...log.headers, ...headers },
    ...(signal && { signal }),
  })
  let reading: IncomingMessage | undefined
  request.setTimeout(log.silentMs ?? usualSilenceMs, () =>
    (reading ?? request).destroy(new Error('the gateway is silent')),
  )
  request.once('response', resolve)
  request.on('error', reject)
  reading = await promise
  if (reading.statusCode === 200) return reading
  throw refusalIn(reading.statusCode ?? 0, await text(reading).catch(() => ''))
}

/** The server-sent events of a response; a reader that stops early closes the connection. */
async function* eventsIn(response: IncomingMessage): AsyncGenerator<LogEvent> {
  let unread = ''
  for await (const piece of response.setEncoding('utf8')) {
    const blocks = (unread + String(piece)).split('\n\n')
    unread = blocks.pop() ?? ''
    for (const block of blocks) {
      const event = eventIn(block)
      if (event) yield event
    }
  }
}

function eventIn(block: string): LogEvent | undefined {
  const event: LogEvent = { type: 'message', data: {} }
  let hasData = false
  for (const line of block.split('\n')) {
    if (line.startsWith('event: ')) event.type = line.slice(7)
    else if (line.startsWith('id: ')) event.seq = Number(line.slice(4))
    else if (line.startsWith('data: ')) {
      event.data = JSON.parse(line.slice(6)) as Record<string, unknown>
      hasData = true
    }
  }
  return hasData ? event : undefined
}
