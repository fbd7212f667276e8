import { silent } from './failures.ts'
import { piecesOf } from './requests.ts'

const longestEvent = 1024 * 1024

/** The `data` of each server-sent event, as it comes. */
export async function* serverEvents(answer: Response): AsyncIterable<string> {
  let data: string[] = []
  let length = 0
  for await (const line of linesOf(answer)) {
    length += line.length + 1
    if (length > longestEvent) throw silent('it sent an event without an end')
    if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5))
    if (line !== '') continue
    if (data.length > 0) yield data.join('\n')
    data = []
    length = 0
  }
  if (data.length > 0) yield data.join('\n')
}

/** Each line of an answer, as it comes. */
export async function* linesOf(answer: Response): AsyncIterable<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const piece of piecesOf(answer)) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > longestEvent) throw silent('it sent a line without an end')
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line
  }
  if (rest !== '') yield rest
}

/** An event of a vendor that speaks JSON. */
export function eventOf(data: string): Record<string, unknown> {
  try {
    const event: unknown = JSON.parse(data)
    if (typeof event === 'object' && event !== null) return event as Record<string, unknown>
  } catch {
    // said below
  }
  throw silent('it sent an event that is not JSON')
}
