import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, rootCertificates } from 'node:tls'
import { secondMs } from '../foundation/clock.ts'
import { commandOf, RedisError, RedisParser, type RedisValue } from './redis-protocol.ts'

const connectWithinMs = 5 * secondMs

export interface RedisServer {
  url: URL
  /** Trust roots added to the system's, in PEM. */
  caPem?: string | undefined
}

interface Hooks {
  onMessage: (channel: string, payload: string) => void
  onLost: () => void
}

interface Asked {
  answered: (value: RedisValue) => void
  failed: (error: Error) => void
}

/** One connection to Redis 6 or later that publishes and is subscribed at the same time. */
export class RedisConnection {
  readonly #socket: Socket
  readonly #hooks: Hooks
  readonly #parser = new RedisParser()
  readonly #asked: Asked[] = []
  #isOver = false

  private constructor(socket: Socket, hooks: Hooks) {
    this.#socket = socket
    this.#hooks = hooks
    socket.on('data', (chunk) => this.#read(chunk))
    socket.on('error', (error) => this.#end(error))
    socket.on('close', () => this.#end(new RedisError('Redis closed the connection')))
  }

  static async open(server: RedisServer, hooks: Hooks): Promise<RedisConnection> {
    const socket = await connected(server)
    const connection = new RedisConnection(socket, hooks)
    const { username, password } = server.url
    const login =
      password === '' ? [] : ['AUTH', decodeURIComponent(username) || 'default', decodeURIComponent(password)]
    try {
      await connection.ask(connectWithinMs, 'HELLO', '3', ...login)
    } catch (error) {
      connection.close()
      throw error
    }
    return connection
  }

  /** Fails, and ends the connection, if no answer came by then. */
  async ask(withinMs: number, ...words: string[]): Promise<RedisValue> {
    if (this.#isOver) throw new RedisError('the connection to Redis is lost')
    const { promise, resolve, reject } = Promise.withResolvers<RedisValue>()
    this.#asked.push({ answered: resolve, failed: reject })
    this.#socket.write(commandOf(words))
    const timer = setTimeout(() => this.#end(new RedisError('Redis does not answer')), withinMs)
    const value = await promise.finally(() => clearTimeout(timer))
    if (value instanceof RedisError) throw value
    return value
  }

  close() {
    this.#isOver = true
    this.#socket.destroy()
    this.#fail(new RedisError('the connection to Redis was closed'))
  }

  #read(chunk: Buffer) {
    try {
      for (const value of this.#parser.read(chunk)) this.#take(value)
    } catch (error) {
      this.#end(error instanceof Error ? error : new RedisError(String(error)))
    }
  }

  #take(value: RedisValue) {
    if (value !== null && typeof value === 'object' && 'pushed' in value) return this.#pushed(value.pushed)
    const asked = this.#asked.shift()
    if (!asked) throw new RedisError('Redis answered what was not asked')
    asked.answered(value)
  }

  #pushed([kind, channel, payload]: readonly RedisValue[]) {
    if (kind === 'message' && typeof channel === 'string' && typeof payload === 'string')
      this.#hooks.onMessage(channel, payload)
    // subscribing is answered by pushes alone
    if (kind === 'subscribe') this.#asked.shift()?.answered(channel ?? null)
  }

  #end(error: Error) {
    if (this.#isOver) return
    this.close()
    this.#fail(error)
    this.#hooks.onLost()
  }

  #fail(error: Error) {
    for (const { failed } of this.#asked.splice(0)) failed(error)
  }
}

async function connected({ url, caPem }: RedisServer): Promise<Socket> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const at = { host, port: Number(url.port || 6379) }
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const socket =
    url.protocol === 'rediss:'
      ? connectTls(
          {
            ...at,
            ...(!isIP(host) && { servername: host }),
            ...(caPem !== undefined && { ca: [...rootCertificates, caPem] }),
          },
          resolve,
        )
      : connectTcp(at, resolve)
  socket.setKeepAlive(true, 10 * secondMs)
  socket.setNoDelay(true)
  socket.once('error', reject)
  const timer = setTimeout(() => reject(new RedisError('Redis cannot be reached')), connectWithinMs)
  try {
    await promise
    return socket
  } catch (error) {
    socket.on('error', () => {})
    socket.destroy()
    throw error
  } finally {
    clearTimeout(timer)
    socket.off('error', reject)
  }
}
