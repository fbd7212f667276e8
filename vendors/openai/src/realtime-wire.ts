import { refused, silent } from '@switchroom/kit/failures'
import type { Frame } from '@switchroom/kit/sockets'
import type { Message, RealtimeAsked, RealtimeTold, RealtimeUsage } from '@switchroom/kit/vendor'

/** Under which its answer to our opening comes. */
const opening = 'opening'

type Wish = Extract<RealtimeAsked, { type: 'reply' | 'say' }>

/** One conversation on the vendor's wire: translates requests to its events, and its events back. */
export class RealtimeWire {
  readonly #send: (event: object) => void
  /** What a turn of the party sounds like so far. */
  readonly #partials = new Map<string, string>()
  /** Under which response of the vendor each reply comes. */
  readonly #replies = new Map<string, string>()
  #isReady = false
  /** It makes one response at a time, and one that was cancelled is not over yet. */
  #now: string | null = null
  #next: Wish | null = null
  /** What it last complained about: a close says nothing. */
  lastWords: string | undefined

  constructor(send: (event: object) => void) {
    this.#send = send
  }

  opening(session: object): object {
    return { type: 'session.update', event_id: opening, session }
  }

  ask(asked: RealtimeAsked): object[] {
    if (asked instanceof Uint8Array)
      return [{ type: 'input_audio_buffer.append', audio: Buffer.from(asked).toString('base64') }]
    if (asked.type === 'speech') return [] // it detects turns itself
    if (asked.type === 'tell')
      return itemsOf(asked.message).map((item) => ({ type: 'conversation.item.create', item }))
    if (asked.type === 'cut') return [truncation(asked)]
    if (asked.type === 'stop') return this.#stop(asked.reply)
    if (this.#now !== null) {
      this.#next = asked
      return []
    }
    return [this.#begin(asked)]
  }

  #begin(wish: Wish): object {
    this.#now = wish.reply
    const metadata = { reply: wish.reply }
    return { type: 'response.create', event_id: wish.reply, response: { ...wantedOf(wish), metadata } }
  }

  #stop(reply: string): object[] {
    if (this.#next?.reply === reply) this.#next = null
    return this.#now === reply ? [{ type: 'response.cancel' }] : []
  }

  *hear(frame: Frame): Iterable<RealtimeTold> {
    const event = eventIn(frame)
    const { type, item_id: turn = '', response_id = '' } = event
    const reply = this.#replies.get(response_id)
    if (type === 'error') yield* this.#hearError(event)
    else if (type === 'session.updated' && !this.#isReady) {
      this.#isReady = true
      yield { type: 'ready' }
    } else if (type === 'input_audio_buffer.speech_started') yield { type: 'turn', state: 'started', turn }
    else if (type === 'input_audio_buffer.speech_stopped') yield { type: 'turn', state: 'ended', turn }
    else if (type.startsWith(transcription)) yield* this.#hearWords(event, turn)
    else if (type === 'response.created') this.#replies.set(event.response?.id ?? '', replyIn(event))
    else if (type === 'response.done') yield* this.#hearDone(event)
    else if (reply !== undefined) yield* heardOf(event, reply)
  }

  *#hearWords({ type, delta = '', transcript = '' }: Event, turn: string): Iterable<RealtimeTold> {
    if (type === `${transcription}.delta`) {
      const text = (this.#partials.get(turn) ?? '') + delta
      this.#partials.set(turn, text)
      yield { type: 'partial', turn, text }
    } else if (type === `${transcription}.completed` || type === `${transcription}.failed`) {
      this.#partials.delete(turn)
      const isKnown = type === `${transcription}.completed`
      yield { type: 'final', turn, text: isKnown ? transcript.trim() : null }
    }
  }

  *#hearDone({ response = {} }: Event): Iterable<RealtimeTold> {
    const reply = this.#replies.get(response.id ?? '')
    this.#replies.delete(response.id ?? '')
    if (reply === undefined) return
    const isFailed = response.status === 'failed'
    const failure = isFailed ? (response.status_details?.error?.message ?? 'it gave no reason') : null
    this.#over(reply)
    yield { type: 'replied', reply, failure, usage: usageOf(response.usage) }
  }

  /** Most of them are about one event of ours, and the conversation continues. */
  *#hearError({ error = {} }: Event): Iterable<RealtimeTold> {
    const words = error.message ?? 'it gave no reason'
    this.lastWords = words
    if (!this.#isReady) throw error.type === 'server_error' ? silent(words) : refused(words)
    if (error.event_id == null || error.event_id !== this.#now) return
    this.#over(error.event_id)
    yield { type: 'replied', reply: error.event_id, failure: words, usage: usageOf(undefined) }
  }

  #over(reply: string) {
    if (this.#now !== reply) return
    this.#now = null
    const next = this.#next
    this.#next = null
    if (next) this.#send(this.#begin(next))
  }
}

const transcription = 'conversation.item.input_audio_transcription'

function* heardOf(event: Event, reply: string): Iterable<RealtimeTold> {
  const { type, item_id: item = '', delta = '' } = event
  if (type === 'response.output_audio.delta')
    yield { type: 'audio', reply, item, pcm: Buffer.from(delta, 'base64') }
  else if (type === 'response.output_audio_transcript.delta') yield { type: 'text', reply, text: delta }
  else if (type === 'response.output_item.done' && event.item?.type === 'function_call') {
    const { call_id: id = '', name = '', arguments: given = '' } = event.item
    yield { type: 'call', reply, id, name, arguments: given }
  }
}

function wantedOf(wish: Wish): object {
  if (wish.type === 'say') {
    const instructions = `Say exactly the following text, word for word, and nothing before or after it:\n\n${wish.text}`
    return { instructions, input: [], tool_choice: 'none' }
  }
  const tools = wish.tools.map(({ name, description, parameters }) => {
    return { type: 'function', name, description, parameters }
  })
  return { instructions: wish.instructions, tools, tool_choice: tools.length > 0 ? 'auto' : 'none' }
}

const truncation = ({ item, heardMs }: Extract<RealtimeAsked, { type: 'cut' }>) => ({
  type: 'conversation.item.truncate',
  item_id: item,
  content_index: 0,
  audio_end_ms: Math.max(0, Math.floor(heardMs)),
})

function itemsOf(message: Message): object[] {
  const { role, text } = message
  if (role === 'tool') return [{ type: 'function_call_output', call_id: message.call, output: text }]
  const type = role === 'assistant' ? 'output_text' : 'input_text'
  const said = text === '' ? [] : [{ type: 'message', role, content: [{ type, text }] }]
  const calls = role === 'assistant' ? (message.calls ?? []) : []
  return [
    ...said,
    ...calls.map(({ id, name, arguments: given }) => {
      return { type: 'function_call', call_id: id, name, arguments: given }
    }),
  ]
}

const replyIn = ({ response }: Event) => response?.metadata?.['reply'] ?? ''

function usageOf(usage: Usage | undefined): RealtimeUsage {
  const { input_tokens = 0, output_tokens = 0, input_token_details, output_token_details } = usage ?? {}
  return {
    inputTokens: input_tokens,
    outputTokens: output_tokens,
    inputAudioTokens: input_token_details?.audio_tokens ?? 0,
    outputAudioTokens: output_token_details?.audio_tokens ?? 0,
  }
}

interface Usage {
  input_tokens?: number
  output_tokens?: number
  input_token_details?: { audio_tokens?: number }
  output_token_details?: { audio_tokens?: number }
}

interface Event {
  type: string
  item_id?: string
  response_id?: string
  delta?: string
  transcript?: string
  item?: { type?: string; call_id?: string; name?: string; arguments?: string }
  response?: {
    id?: string
    status?: string
    status_details?: { error?: { message?: string } | null } | null
    metadata?: Record<string, string> | null
    usage?: Usage
  }
  error?: { type?: string; message?: string; event_id?: string | null }
}

function eventIn(frame: Frame): Event {
  try {
    const event = JSON.parse(String(frame)) as Event
    if (typeof event.type === 'string') return event
  } catch {
    // said below
  }
  throw silent('it sent an unreadable message')
}
