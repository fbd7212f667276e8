import { createSocket } from 'node:dgram'
import { once } from 'node:events'

export interface DnsRecords {
  A?: readonly string[]
  AAAA?: readonly string[]
  SRV?: readonly { priority: number; weight: number; port: number; name: string }[]
  NAPTR?: readonly { order: number; preference: number; service: string; replacement: string }[]
}

const types = { A: 1, AAAA: 28, SRV: 33, NAPTR: 35 } as const

/** A real DNS server on loopback: a name that was not set does not exist. */
export interface TestDns {
  /** For `nameServers`. */
  address: string
  set(name: string, records: DnsRecords): void
  /** Whether questions stay without an answer. */
  mute(wanted: boolean): void
  close(): Promise<void>
}

export async function startDns(): Promise<TestDns> {
  const names = new Map<string, DnsRecords>()
  let isMute = false
  const socket = createSocket('udp4')
  socket.on('message', (question, { address, port }) => {
    if (!isMute) socket.send(answerTo(question, names), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    set: (name, records) => void names.set(name.toLowerCase(), records),
    mute: (wanted) => void (isMute = wanted),
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  }
}

function answerTo(question: Buffer, names: ReadonlyMap<string, DnsRecords>): Buffer {
  let at = 12
  const labels: string[] = []
  for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
    labels.push(question.subarray(at + 1, at + 1 + length).toString('latin1'))
    at += 1 + length
  }
  const type = question.readUInt16BE(at + 1)
  const end = at + 5
  const records = names.get(labels.join('.').toLowerCase())
  const data = records ? dataOf(records, type) : []
  const head = Buffer.alloc(12)
  question.copy(head, 0, 0, 2)
  // A response, recursion wanted and had; a name without any record does not exist.
  head.writeUInt16BE(records ? 0x8180 : 0x8183, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(data.length, 6)
  const answers = data.map((bytes) => {
    const fixed = Buffer.alloc(12)
    fixed.writeUInt16BE(0xc00c, 0) // the name that was asked for
    fixed.writeUInt16BE(type, 2)
    fixed.writeUInt16BE(1, 4)
    fixed.writeUInt16BE(bytes.length, 10)
    return Buffer.concat([fixed, bytes])
  })
  return Buffer.concat([head, question.subarray(12, end), ...answers])
}

function dataOf(records: DnsRecords, type: number): Buffer[] {
  if (type === types.A) return (records.A ?? []).map((address) => Buffer.from(address.split('.').map(Number)))
  if (type === types.AAAA) return (records.AAAA ?? []).map(bytesOf6)
  if (type === types.SRV)
    return (records.SRV ?? []).map(({ priority, weight, port, name }) =>
      Buffer.concat([numbers(priority, weight, port), nameBytes(name)]),
    )
  if (type === types.NAPTR)
    return (records.NAPTR ?? []).map(({ order, preference, service, replacement }) =>
      Buffer.concat([numbers(order, preference), text('s'), text(service), text(''), nameBytes(replacement)]),
    )
  return []
}

function numbers(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2)
  for (const [at, value] of values.entries()) bytes.writeUInt16BE(value, at * 2)
  return bytes
}

const text = (value: string) => Buffer.concat([Buffer.from([value.length]), Buffer.from(value)])

const nameBytes = (name: string) =>
  Buffer.concat([
    ...name
      .split('.')
      .filter((label) => label !== '')
      .map(text),
    Buffer.from([0]),
  ])

function bytesOf6(address: string): Buffer {
  const [left = '', right] = address.split('::')
  const groups = (part: string) => part.split(':').filter((group) => group !== '')
  const [before, after] = [groups(left), groups(right ?? '')]
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0')
  return numbers(...[...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16)))
}
