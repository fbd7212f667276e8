import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type {
  AskEntry,
  AskGrant,
  AskStreams,
  Grant,
  Settle,
  VoiceRefusal,
} from '@switchroom/contract/voice-server'

/** The gateway as a voice server sees it, on loopback: it accepts every key and grants what a test says. */
export class GatewayFake {
  /** What is asked for next is refused so. */
  refusals: Partial<Record<'entry' | 'grant', VoiceRefusal>> = {}
  /** What a grant holds beside its id. */
  grant: (ask: AskGrant) => Partial<Grant> = () => ({})
  /** Streams whose key opens them no longer. */
  refusedStreams: Record<string, VoiceRefusal> = {}
  voices: object[] = []
  models: object[] = []
  /** Answers that it leaves out before it answers again. */
  failures = 0
  /** The path of every question, in order. */
  readonly paths: string[] = []
  readonly entries: AskEntry[] = []
  readonly asked: AskGrant[] = []
  readonly judged: AskStreams[] = []
  readonly settled: ({ grant: string } & Settle)[] = []
  readonly #server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      if (this.failures > 0) {
        this.failures -= 1
        return response.destroy()
      }
      const answer = this.#answer(new URL(request.url ?? '/', 'http://gateway'), body)
      return response
        .writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' })
        .end(JSON.stringify(answer ?? { detail: 'there is no door here' }))
    })
  })

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return this
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #answer({ pathname }: URL, body: unknown): object | undefined {
    this.paths.push(pathname)
    if (pathname === '/v1/voice/entries') return this.#enter(body as AskEntry)
    if (pathname === '/v1/voice/grants') return this.#grant(body as AskGrant)
    if (pathname === '/v1/voice/streams') {
      this.judged.push(body as AskStreams)
      return { refused: this.refusedStreams }
    }
    if (pathname === '/v1/voice/voices') return { voices: this.voices }
    if (pathname === '/v1/voice/models') return { models: this.models }
    const grant = /^\/v1\/voice\/grants\/([^/]+)\/settlement$/.exec(pathname)?.[1]
    if (grant === undefined) return undefined
    this.settled.push({ grant, ...(body as Settle) })
    return {}
  }

  #enter(ask: AskEntry): object {
    this.entries.push(ask)
    const refusal = this.#entryRefusal(ask.key)
    return refusal ? { org: '', key_id: '', refusal } : { org: 'org_1', key_id: 'key_1' }
  }

  #entryRefusal(key: string | null): object | undefined {
    const missing = { status: 401, code: 'MISSING_KEY', error: 'this door takes an API key' }
    return this.refusals.entry ?? (key === null ? missing : undefined)
  }

  #grant(ask: AskGrant): object {
    this.asked.push(ask)
    const notEntered = ask.key_id === undefined ? this.#entryRefusal(ask.key ?? null) : undefined
    const refusal = notEntered ?? this.refusals.grant
    if (refusal) return { refusal }
    const grant: Grant = {
      id: `grant_${this.asked.length}`,
      vendor: 'local',
      model: ask.doing === 'speech' ? 'espeak' : 'moonshine-tiny',
      builds: null,
      knobs: {},
      options: {},
      credentials: {},
      is_own: false,
      ...this.grant(ask),
    }
    return { grant }
  }
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return JSON.parse(Buffer.concat(pieces).toString() || 'null')
}
