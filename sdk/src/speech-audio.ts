import { brokeOff } from './speech-error.ts'
import type { SpeechOptions } from './speech-shapes.ts'

const bytesPerSample = 2
const wavHeaderBytes = 44

/** Speech as it is made: read it piece by piece with `for await`, or whole with `bytes()`. */
export class SpeechAudio implements AsyncIterable<Uint8Array> {
  readonly requestId: string
  readonly characters: number
  readonly #asked: SpeechOptions
  readonly #response: Response
  readonly #toldMs: number | undefined
  #read = 0

  constructor(asked: SpeechOptions, response: Response) {
    const told = (name: string) => numberIn(response.headers.get(name))
    this.#asked = asked
    this.#response = response
    this.#toldMs = told('x-svc-audio-ms')
    this.requestId = response.headers.get('x-svc-request-id') ?? ''
    this.characters = told('x-svc-characters') ?? Array.from(asked.input).length
  }

  /** Of what was read so far; of mp3 it is not known, and 0. */
  get audioMs(): number {
    const { response_format: format = 'pcm', sample_rate: rate = 16_000 } = this.#asked
    if (this.#toldMs !== undefined) return this.#toldMs
    if (format === 'mp3') return 0
    const bytes = Math.max(0, this.#read - (format === 'wav' ? wavHeaderBytes : 0))
    return Math.round((bytes / bytesPerSample / rate) * 1_000)
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    for await (const piece of piecesOf(this.#response)) {
      this.#read += piece.length
      yield piece
    }
  }

  async bytes(): Promise<Uint8Array> {
    const pieces: Uint8Array[] = []
    for await (const piece of this) pieces.push(piece)
    return Buffer.concat(pieces)
  }
}

/** A reader that stops early closes the connection, and the voice server stops. */
export async function* piecesOf({ body }: Response): AsyncIterable<Uint8Array> {
  const reader = body?.getReader()
  let isOver = false
  try {
    for (;;) {
      const next = await reader?.read().catch((error: unknown) => {
        isOver = true
        throw isAbort(error) ? error : brokeOff(error)
      })
      isOver ||= next?.done !== false
      if (!next?.value) return
      yield next.value
    }
  } finally {
    if (!isOver) await reader?.cancel()
  }
}

const isAbort = (error: unknown) => error instanceof Error && error.name === 'AbortError'

function numberIn(header: string | null): number | undefined {
  return header !== null && /^\d+$/.test(header) ? Number(header) : undefined
}
