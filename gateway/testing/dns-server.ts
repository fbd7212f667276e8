import { once } from 'node:events'
import { createUDPServer, Packet } from 'dns2'

export interface Records {
  A?: string[]
  AAAA?: string[]
  TXT?: string[]
}

/** A real DNS server on loopback; a name without records does not exist. */
export interface DnsServer extends AsyncDisposable {
  /** What SVC_RESOLVER takes. */
  address: string
  /** Replaces all records of a name; a function is asked anew for every question. */
  set: (name: string, records: Records | (() => Records)) => void
  /** Whether every question is answered with a failure. */
  fail: (wanted: boolean) => void
  /** The questions so far, such as `A example.com`. */
  asked: () => string[]
}

export async function startDnsServer(): Promise<DnsServer> {
  const names = new Map<string, () => Records>()
  const asked: string[] = []
  let fails = false

  const answer = (request: Packet): Packet => {
    const [question] = request.questions
    if (!question || fails) return Packet.createErrorResponseFromRequest(request, Packet.RCODE.SERVFAIL)
    const type = Packet.typeName(question.type)
    asked.push(`${type} ${question.name}`)
    const records = names.get(question.name.toLowerCase())
    if (!records) return Packet.createErrorResponseFromRequest(request, Packet.RCODE.NXDOMAIN)
    const response = Packet.createResponseFromRequest(request)
    const { name, type: code } = question
    for (const value of records()[type as keyof Records] ?? []) {
      const data = type === 'TXT' ? { data: inPieces(value) } : { address: value }
      response.answers.push(
        new Packet.Resource({ name, type: code, class: Packet.CLASS.IN, ttl: 0, ...data }),
      )
    }
    return response
  }

  const server = createUDPServer((request, send) => void send(answer(request)))
  await server.listen(0, '127.0.0.1')
  return {
    address: `127.0.0.1:${server.address().port}`,
    set: (name, records) =>
      void names.set(name.toLowerCase(), typeof records === 'function' ? records : () => records),
    fail: (wanted) => void (fails = wanted),
    asked: () => [...asked],
    async [Symbol.asyncDispose]() {
      server.close()
      await once(server, 'close')
    },
  }
}

/** A text of a record is at most 255 bytes; a longer one travels in pieces. */
const inPieces = (text: string) => text.match(/.{1,255}/gs) ?? ['']
