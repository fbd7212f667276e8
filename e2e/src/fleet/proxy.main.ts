import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'

/** An answer of a gateway that passed. */
export interface Passed {
  method: string
  path: string
  status: number
}

const host = '127.0.0.1'
const [ownPort = 0, ...gateways] = process.argv.slice(2).map(Number)
let turn = 0

/** Each request goes to the next gateway, and to the other one if that takes no connection. */
function inTurn(): number[] {
  turn += 1
  return gateways.map((_, at) => gateways[(turn + at) % gateways.length] ?? 0)
}

async function pass(request: IncomingMessage, response: ServerResponse) {
  const body = Buffer.concat(await request.toArray())
  for (const port of inTurn()) if (await isPassed(port, request, body, response)) return
  response.writeHead(502).end()
}

/** False if nobody listens there, so that nothing was asked. */
function isPassed(
  port: number,
  request: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const { method = 'GET', url: path = '/', headers, socket } = request
  const forwarded = { ...headers, connection: 'close', 'x-forwarded-for': socket.remoteAddress ?? host }
  const asked = ask({ host, port, method, path, headers: forwarded, agent: false })
  response.on('close', () => asked.destroy())
  asked.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNREFUSED') return resolve(false)
    // What the gateway did is not known, so the request is not repeated.
    if (response.headersSent) response.destroy()
    else response.writeHead(502).end()
    resolve(true)
  })
  asked.on('response', (answer) => {
    const status = answer.statusCode ?? 0
    process.send?.({ method, path: path.split('?', 1)[0] ?? path, status } satisfies Passed)
    const { connection: _hop, ...answered } = answer.headers
    response.writeHead(status, answered)
    response.flushHeaders()
    answer.on('error', () => response.destroy())
    answer.pipe(response)
    resolve(true)
  })
  asked.end(body)
  return promise
}

function passSocket(request: IncomingMessage, client: Socket, head: Buffer, ports = inTurn()) {
  const [port, ...others] = ports
  if (port === undefined) {
    client.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n')
    return
  }
  const server = connect(port, host)
  let isOpen = false
  server.on('error', () => {
    if (isOpen) client.destroy()
    else passSocket(request, client, head, others)
  })
  server.on('connect', () => {
    isOpen = true
    const lines = request.rawHeaders.flatMap((name, at) =>
      at % 2 === 0 ? [`${name}: ${request.rawHeaders[at + 1]}`] : [],
    )
    server.write(`${request.method} ${request.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
    server.write(head)
    server.pipe(client)
    client.pipe(server)
    server.on('close', () => client.destroy())
  })
  client.on('error', () => server.destroy())
  client.on('close', () => server.destroy())
}

const listener = createServer(
  (request, response) => void pass(request, response).catch(() => response.destroy()),
)
listener.on('upgrade', (request, client, head) => passSocket(request, client as Socket, head))
listener.listen(ownPort, host, () => process.send?.('ready'))
process.on('disconnect', () => process.exit(0))
