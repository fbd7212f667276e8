import { createReadStream, existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Command } from '../invocation/command.ts'
import { wrongUsage } from '../terminal/failures.ts'
import { plain } from '../terminal/text-width.ts'

/** More lines about one call than any call has. */
const mostLines = 20_000
/** A longer line is none of ours. */
const longestLine = 1_000_000

interface LogLine {
  /** The file that it is from, without its ending. */
  process: string
  fields: Record<string, unknown>
}

const logs: Command = {
  name: 'ops logs',
  summary: 'the lines about one call in the logs of this machine',
  details:
    'Reads the logs that npm start keeps in its data folder (SVC_DATA, else ./data), those put aside included, and prints the lines that name the call, in the order of their time. --file reads another log, as of a service manager: journalctl -o cat -u "switchroom*" | svc ops logs --call ID --file -',
  options: [
    { name: 'call', value: 'id', summary: 'the call' },
    { name: 'file', value: 'path', isRepeated: true, summary: 'read this log instead; - is standard input' },
  ],
  examples: ['svc ops logs --call call_1', 'svc ops logs --call call_1 --file gateway.log --file worker.log'],
  async run(invocation) {
    const call = invocation.needed('call')
    const files =
      invocation.list('file') ?? filesIn(join(invocation.environment['SVC_DATA'] || 'data', 'logs'))
    const found: LogLine[] = []
    for (const file of files)
      for await (const fields of linesAbout(call, file)) {
        if (found.length < mostLines) found.push({ process: nameOf(file), fields })
      }
    const sorted = found.toSorted((a, b) => (timeOf(a) < timeOf(b) ? -1 : timeOf(a) > timeOf(b) ? 1 : 0))
    const { out } = invocation
    if (invocation.isJson) out.json(sorted.map(({ process, fields }) => ({ process, ...fields })))
    else for (const line of sorted) out.line(plain(textOf(line)))
    if (found.length === 0)
      out.note(`No line names ${call} in ${files.map((file) => basename(file)).join(', ')}.`)
    if (found.length === mostLines) out.note(`Only the first ${mostLines} lines are shown.`)
  },
}

/** Of one process first what was put aside. */
function filesIn(folder: string): string[] {
  if (!existsSync(folder))
    throw wrongUsage(
      `there are no logs in ${folder}: set SVC_DATA to the data folder of npm start, or name logs with --file`,
    )
  const names = readdirSync(folder).filter((name) => /\.log(\.1)?$/.test(name))
  return names
    .toSorted()
    .toReversed()
    .map((name) => join(folder, name))
}

const nameOf = (file: string) => (file === '-' ? 'stdin' : basename(file).replace(/\.log(\.1)?$/, ''))

async function* linesAbout(call: string, file: string) {
  const input: Readable = file === '-' ? process.stdin : createReadStream(file)
  const broken = new Promise<never>((_resolve, reject) => {
    input.once('error', (error) => reject(wrongUsage(`${file} cannot be read (${error.message})`)))
  })
  broken.catch(() => {}) // awaited below
  const lines = createInterface({ input, crlfDelay: Infinity })[Symbol.asyncIterator]()
  for (;;) {
    const next = await Promise.race([lines.next(), broken])
    if (next.done) return
    // looking for the words is cheaper than parsing every line
    if (next.value.length > longestLine || !next.value.includes(call)) continue
    const fields = fieldsOf(next.value)
    if (fields && isAbout(call, fields)) yield fields
  }
}

function fieldsOf(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined // a program that crashes writes other lines too
  }
}

const isAbout = (call: string, { call: one, calls }: Record<string, unknown>) =>
  one === call || (Array.isArray(calls) && calls.includes(call))

const timeOf = ({ fields }: LogLine) => shown(fields['time'])

function textOf({ process, fields }: LogLine): string {
  const { time, level, msg, call: _call, err, ...more } = fields
  const named = Object.entries(more).map(([name, value]) => `${name}=${shown(value)}`)
  const why = typeof err === 'object' && err !== null && 'message' in err ? [`(${shown(err.message)})`] : []
  return [shown(time), process, shown(level), shown(msg), ...why, ...named].join(' ')
}

const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value ?? null))

export const opsLogCommands = [logs]
