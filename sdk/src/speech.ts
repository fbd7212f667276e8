import { SpeechAudio } from './speech-audio.ts'
import { missingKey, refusalIn, unreachable } from './speech-error.ts'
import { SpeechEvents } from './speech-events.ts'
import {
  saidOf,
  type SpeechOptions,
  type SpeechVoice,
  type StreamOptions,
  type TranscribeOptions,
  type Transcript,
  type VerboseTranscript,
} from './speech-shapes.ts'
import { openStream, type TranscriptionStream } from './speech-stream.ts'

export interface SpeechClientOptions {
  /** The voice server's address. Default: SVC_VOICE_URL, else the address that `npm start` serves. */
  url?: string
  /** Where live transcriptions are opened. Default: `url` if it is given, else SVC_WS_URL, else the voice server's address. */
  wsUrl?: string
  /** Default: SVC_KEY. */
  key?: string
}

interface Cancel {
  signal?: AbortSignal
}

/** Speech with no agent and no call: text to audio, audio to text. */
export class SpeechClient {
  readonly #url: string
  readonly #wsUrl: string
  readonly #key: string | undefined

  constructor({ url, wsUrl, key }: SpeechClientOptions = {}) {
    const set = (name: string) => process.env[name] || undefined // an empty value is the same as unset
    this.#url = withoutSlash(url ?? set('SVC_VOICE_URL') ?? 'http://127.0.0.1:8081')
    this.#wsUrl = withoutSlash(wsUrl ?? url ?? set('SVC_WS_URL') ?? this.#url)
    this.#key = (key ?? set('SVC_KEY')) || undefined
  }

  /** Resolves with the first audio. With `timestamps`, words come with their times. */
  speech(options: SpeechOptions & { timestamps: true }, cancel?: Cancel): Promise<SpeechEvents>
  speech(options: SpeechOptions & { timestamps?: false }, cancel?: Cancel): Promise<SpeechAudio>
  async speech(options: SpeechOptions, cancel: Cancel = {}): Promise<SpeechAudio | SpeechEvents> {
    const response = await this.#ask('/v1/audio/speech', {
      ...cancel,
      method: 'POST',
      headers: {
        accept: options.timestamps ? 'text/event-stream' : 'audio/*',
        'content-type': 'application/json',
      },
      body: JSON.stringify(options),
    })
    return options.timestamps ? new SpeechEvents(response) : new SpeechAudio(options, response)
  }

  async voices(
    filter: { provider?: string; language?: string } = {},
    cancel: Cancel = {},
  ): Promise<SpeechVoice[]> {
    const query = new URLSearchParams(saidOf(filter)).toString()
    const response = await this.#ask(`/v1/audio/voices?${query}`, { ...cancel, headers: json })
    const { voices } = (await response.json()) as { voices: SpeechVoice[] }
    return voices
  }

  transcribe(options: TranscribeOptions & { response_format: 'text' }, cancel?: Cancel): Promise<string>
  transcribe(
    options: TranscribeOptions & { response_format: 'verbose_json' },
    cancel?: Cancel,
  ): Promise<VerboseTranscript>
  transcribe(options: TranscribeOptions & { response_format?: 'json' }, cancel?: Cancel): Promise<Transcript>
  async transcribe(
    { file, ...fields }: TranscribeOptions,
    cancel: Cancel = {},
  ): Promise<Transcript | VerboseTranscript | string> {
    const form = new FormData()
    for (const [name, value] of saidOf(fields)) form.append(name, value)
    form.append('file', file instanceof Blob ? file : new Blob([Buffer.from(file)]), 'audio')
    const headers = fields.response_format === 'text' ? { accept: 'text/plain' } : json
    const asked = { ...cancel, method: 'POST', headers, body: form }
    const response = await this.#ask('/v1/audio/transcriptions', asked)
    return fields.response_format === 'text' ? response.text() : ((await response.json()) as Transcript)
  }

  /** Resolves when the voice server is ready for audio. */
  async stream(options: StreamOptions = {}): Promise<TranscriptionStream> {
    return openStream(this.#wsUrl, this.#authorization(), options)
  }

  #authorization(): string {
    if (this.#key === undefined) throw missingKey()
    return `Bearer ${this.#key}`
  }

  async #ask(path: string, { headers, ...asked }: Asked): Promise<Response> {
    const authorization = this.#authorization()
    const response = await fetch(this.#url + path, {
      ...asked,
      headers: { ...headers, authorization },
    }).catch((error: unknown) => {
      throw asked.signal?.aborted ? error : unreachable(this.#url, error)
    })
    if (!response.ok) throw refusalIn(response.status, await response.text().catch(() => ''))
    return response
  }
}

const withoutSlash = (url: string) => url.replace(/(?<!\/)\/+$/, '')

const json = { accept: 'application/json' }

interface Asked extends Cancel {
  method?: string
  headers: Record<string, string>
  body?: string | FormData
}
