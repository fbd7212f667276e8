import { failureOfAnswer } from './answer-failures.ts'
import type { Reach } from './addresses.ts'
import { silent, type VendorFailure } from './failures.ts'
import { sendTwiceIfStale } from './stale-requests.ts'

const mostRefusalBytes = 16 * 1024
const mostAnswerBytes = 4 * 1024 * 1024
const refusalWithinMs = 2_000

export interface Asked {
  method?: 'GET' | 'POST' | 'DELETE'
  headers?: Record<string, string>
  body?: string | FormData | Uint8Array<ArrayBuffer>
  signal: AbortSignal
  fetch?: Reach['fetch']
}

/** Asks a vendor over HTTP; an answer that is not a yes is a failure in the vendor's own words. */
export async function ask(url: string | URL, { fetch: reach = fetch, ...asked }: Asked): Promise<Response> {
  // followed, a redirect would carry the key in a vendor's own header to wherever it points
  const how = { method: asked.body === undefined ? 'GET' : 'POST', redirect: 'manual' } as const
  const send = () => reach(new URL(url), { ...how, ...asked })
  const answer = await sendTwiceIfStale(send, asked.signal)
  if (answer.ok) return answer
  throw await failureIn(answer)
}

async function failureIn(answer: Response): Promise<VendorFailure> {
  const { status, headers } = answer
  const body = await refusalText(answer)
  const words = spokenWords(body) || `HTTP ${status}`
  return failureOfAnswer({ status, header: (name) => headers.get(name), body, words })
}

export const askJson = (url: string | URL, body: object, { headers, ...asked }: Asked) =>
  ask(url, {
    ...asked,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

/** The body as it comes, with backpressure. */
export async function* piecesOf(answer: Response): AsyncIterable<Uint8Array> {
  if (!answer.body) return
  for await (const piece of answer.body) yield piece
}

/** A whole answer of bounded length; a long recording has more to say than the usual bound. */
export async function jsonOf(answer: Response, mostBytes = mostAnswerBytes): Promise<unknown> {
  const text = await textOf(answer, mostBytes)
  try {
    return JSON.parse(text)
  } catch {
    throw silent('it sent an answer that is not JSON')
  }
}

/** A text that a whole answer must have. */
export function textIn(answer: unknown, field: string): string {
  const text = (answer as Record<string, unknown> | null)?.[field]
  if (typeof text !== 'string') throw silent(`it sent no ${field}`)
  return text
}

async function textOf(answer: Response, mostBytes: number): Promise<string> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of piecesOf(answer)) {
    bytes += piece.length
    if (bytes > mostBytes) throw silent('its answer is too long')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

/** As much of a refusal as comes soon; a vendor that says no and then hangs has still said no. */
async function refusalText(answer: Response): Promise<string> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  const late = setTimeout(() => void reader?.cancel().catch(() => {}), refusalWithinMs)
  const reader = answer.body?.getReader()
  try {
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
      pieces.push(next.value)
      bytes += next.value.length
      if (bytes > mostRefusalBytes) break
    }
  } catch {
    // what came before it broke is what was said
  } finally {
    clearTimeout(late)
    void reader?.cancel().catch(() => {})
  }
  return Buffer.concat(pieces).toString('utf8')
}

/** Where vendors put the sentence: `{error: {message}}`, `{detail}`, `{err_msg}` and their like. */
export function spokenWords(text: string): string {
  try {
    return wordsIn(JSON.parse(text)) ?? text
  } catch {
    return text
  }
}

const placesOfWords = [
  'message',
  'detail',
  'error',
  'msg',
  'err_msg',
  'error_message',
  'reason',
  'errors',
  'title',
]

function wordsIn(said: unknown): string | undefined {
  if (typeof said === 'string') return said
  if (Array.isArray(said)) return wordsIn(said[0])
  if (typeof said !== 'object' || said === null) return undefined
  for (const place of placesOfWords) {
    const found = wordsIn((said as Record<string, unknown>)[place])
    if (found) return found
  }
  return undefined
}
