import type { Grant } from '@switchroom/contract/voice-server'
import type { InstalledVendors } from '@switchroom/kit/installed'
import type { GatewayClient } from '../gateway/gateway-client.ts'
import { choiceOf, vendorOf } from '../gateway/granted-vendors.ts'
import { upstreamError } from '../foundation/refusals.ts'
import type { Parts } from '../http/server.ts'
import { soundForm, soundForms, type SoundForm } from '../sound/sound-forms.ts'
import type { AskedSpeech } from './speech-request.ts'
import { TimedWords, type Timed } from './timed-words.ts'
import { voicePieces } from './voice-pieces.ts'

const bytesPerSample = 2

/** A piece of the answer in the form that was asked for, or a word with its time. */
export type Said = { type: 'audio'; bytes: Uint8Array } | Extract<Timed, { type: 'word' }>

/** What is being said, its first sound already made. */
export interface Saying {
  pieces: AsyncIterable<Said>
  /** Of all sound so far. */
  readonly audioMs: number
}

/** Text to sound: granted by the gateway, said by a vendor, and settled whatever becomes of it. */
export class Speech {
  readonly #gateway: GatewayClient
  readonly #vendors: InstalledVendors
  readonly #silenceMs: number

  constructor({ gateway, vendors, settings }: Parts) {
    this.#gateway = gateway
    this.#vendors = vendors
    this.#silenceMs = settings.speechTimeoutMs
  }

  /** Answers with the first sound; what fails before it is a refusal, and costs nothing. */
  async begin(key: string | null, asked: AskedSpeech, gone: AbortSignal): Promise<Saying> {
    const grant = await this.#gateway.grant({
      doing: 'speech',
      key,
      model: asked.model,
      language: asked.language,
      voice: asked.voice,
      characters: asked.characters,
      response_format: soundForms.find((form) => form === asked.format) ?? 'pcm', // we write the others ourselves
      speed: asked.speed,
      ...(asked.isOpenAi && { openai: true }),
    })
    const progress = new Progress(asked.sampleRate, (spoken) => this.#gateway.settle(grant.id, { spoken }))
    gone.addEventListener('abort', () => progress.leave(), { once: true })
    if (gone.aborted) progress.leave()
    try {
      const form = await soundForm(asked.format, asked.sampleRate)
      const pieces = this.#pieces(grant, asked, form, progress, gone)[Symbol.asyncIterator]()
      const first = await untilSound(pieces)
      return {
        pieces: joined(first, pieces),
        get audioMs() {
          return progress.audioMs
        },
      }
    } catch (error) {
      progress.fail()
      throw upstreamError(grant.vendor, error)
    }
  }

  async *#pieces(
    grant: Grant,
    asked: AskedSpeech,
    form: SoundForm,
    progress: Progress,
    gone: AbortSignal,
  ): AsyncIterable<Said> {
    try {
      const voice = await vendorOf(this.#vendors, 'tts', grant).voice(choiceOf(grant))
      const spoken = voicePieces(voice, asked, { silenceMs: this.#silenceMs, gone })
      const timed = asked.timestamps ? new TimedWords(asked.input, asked.sampleRate) : undefined
      for await (const piece of spoken)
        for (const said of timed ? timed.take(piece) : untimed(piece)) yield* written(said)
      for (const said of timed?.end() ?? []) yield* written(said)
      const last = await form.end()
      if (last.length > 0) yield { type: 'audio', bytes: last }
      progress.complete()
    } catch (error) {
      progress.fail()
      throw upstreamError(grant.vendor, error)
    } finally {
      form.close?.()
    }

    async function* written(said: Timed): AsyncIterable<Said> {
      if (said.type === 'word') {
        yield said
        return
      }
      progress.add(said.pcm.length)
      const bytes = await form.take(said.pcm)
      if (bytes.length > 0) yield { type: 'audio', bytes }
    }
  }
}

/** How far it came, and with that whether it is paid for: reported once. */
class Progress {
  readonly #sampleRate: number
  readonly #settle: (spoken: boolean) => void
  #bytes = 0
  #isSettled = false

  constructor(sampleRate: number, settle: (spoken: boolean) => void) {
    this.#sampleRate = sampleRate
    this.#settle = settle
  }

  get audioMs(): number {
    return Math.round((this.#bytes / bytesPerSample / this.#sampleRate) * 1_000)
  }

  add(bytes: number) {
    this.#bytes += bytes
  }

  complete() {
    this.#tell(true)
  }

  fail() {
    this.#tell(false)
  }

  /** A caller that hangs up after the first sound pays. */
  leave() {
    this.#tell(this.#bytes > 0)
  }

  #tell(spoken: boolean) {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#settle(spoken)
  }
}

const untimed = (piece: Timed): Timed[] => (piece.type === 'audio' ? [piece] : [])

/** The pieces up to the first sound. */
async function untilSound(pieces: AsyncIterator<Said>): Promise<Said[]> {
  const first: Said[] = []
  for (;;) {
    const next = await pieces.next()
    if (next.done) return first
    first.push(next.value)
    if (next.value.type === 'audio') return first
  }
}

async function* joined(first: Said[], rest: AsyncIterator<Said>): AsyncIterable<Said> {
  yield* first
  yield* { [Symbol.asyncIterator]: () => rest }
}
