import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Seen, SocketAnswer, Wire } from '@switchroom/kit/testing/wire-fake'
import {
  contentOf,
  isLoudIn,
  responseFields,
  samplesPerMs,
  sessionFields,
  usage,
  soundOfWord,
  wordMs,
  wordsIn,
} from './realtime-shapes.ts'

const sayExactly = 'Say exactly the following text, word for word, and nothing before or after it:\n\n'

export interface Said {
  text: string
  calls?: { call_id: string; name: string; arguments: string }[]
}

export interface Wanted {
  instructions: string
  tools: string[]
}

/** How the model behaves: what it answers, what it makes of the party's words, and how long it takes. */
export interface Behaviour {
  answer: (wanted: Wanted) => Said | Error
  /** Null if it cannot make out the words. */
  transcript: (nth: number) => string | null
  transcriptMs?: number
  betweenWordsMs?: number
}

interface Event {
  type: string
  event_id?: string
  [field: string]: unknown
}

interface Item {
  id: string
  type: string
  call_id?: string
  audioMs: number
}

/** OpenAI's Realtime API as its reference describes it, for as many conversations as are opened. */
export class RealtimeVendor {
  readonly conversations: RealtimeConversationFake[] = []
  behaviour: Behaviour

  constructor(behaviour: Behaviour) {
    this.behaviour = behaviour
  }

  readonly wire: Required<Pick<Wire, 'refusal' | 'socket'>> = {
    refusal: (message) => ({ error: { message, type: 'invalid_request_error', code: 'invalid_api_key' } }),
    socket: (socket, seen) => void this.conversations.push(new RealtimeConversationFake(this, socket, seen)),
  }
}

export class RealtimeConversationFake {
  readonly seen: Seen
  /** Everything it was sent but sound. */
  readonly events: Event[] = []
  session: Record<string, unknown> = {}
  heardBytes = 0
  /** What it refused; a client that keeps to the reference leaves none. */
  readonly errors: string[] = []
  readonly #vendor: RealtimeVendor
  readonly #socket: SocketAnswer
  readonly #items = new Map<string, Item>()
  #count = 0
  #active: { id: string; metadata: unknown; isCancelled: boolean } | null = null
  #speaking: string | null = null
  #silentMs = 0
  #turns = 0

  constructor(vendor: RealtimeVendor, socket: SocketAnswer, seen: Seen) {
    this.#vendor = vendor
    this.#socket = socket
    this.seen = seen
    assert.equal(seen.url.pathname, '/realtime')
    assert.match(seen.headers.authorization ?? '', /^Bearer .+/)
    this.#tell('session.created', { session: { type: 'realtime', object: 'realtime.session' } })
    socket.onFrame((frame) => this.#take(JSON.parse(String(frame)) as Event))
  }

  /** The vendor goes away in the middle of it. */
  breaksOff() {
    this.#socket.close(1011, 'The server had an error')
  }

  #tell(type: string, fields: object) {
    this.#socket.send({ type, event_id: this.#id('event'), ...fields })
  }

  #id(kind: string): string {
    return `${kind}_${(this.#count += 1)}`
  }

  #refuse(event: Event, message: string, code: string) {
    this.errors.push(message)
    const error = {
      type: 'invalid_request_error',
      code,
      message,
      param: null,
      event_id: event.event_id ?? null,
    }
    this.#tell('error', { error })
  }

  #take(event: Event) {
    if (event.type === 'input_audio_buffer.append') return this.#hear(String(event['audio']))
    this.events.push(event)
    if (event.type === 'session.update') return this.#configure(event)
    if (event.type === 'conversation.item.create') return this.#add(event)
    if (event.type === 'conversation.item.truncate') return this.#truncate(event)
    if (event.type === 'response.cancel') return this.#cancel(event)
    if (event.type === 'response.create') return void this.#respond(event)
    return this.#refuse(event, `Invalid value: '${event.type}'.`, 'invalid_value')
  }

  #configure(event: Event) {
    const session = event['session'] as Record<string, unknown>
    const unknown = Object.keys(session).find((name) => !sessionFields.has(name))
    if (unknown) return this.#refuse(event, `Unknown parameter: 'session.${unknown}'.`, 'unknown_parameter')
    this.session = session
    return this.#tell('session.updated', { session })
  }

  get #input(): { turn_detection?: { silence_duration_ms?: number } } {
    return (this.session['audio'] as { input?: object } | undefined)?.input ?? {}
  }

  /** Its own turn detection: loud is speech, and a long silence ends it. */
  #hear(audio: string) {
    const pcm = Buffer.from(audio, 'base64')
    const isLoud = isLoudIn(pcm)
    const atMs = this.heardBytes / 2 / samplesPerMs
    this.heardBytes += pcm.length
    this.#silentMs = isLoud ? 0 : this.#silentMs + pcm.length / 2 / samplesPerMs
    if (isLoud && this.#speaking === null) {
      this.#speaking = this.#id('item')
      this.#tell('input_audio_buffer.speech_started', { item_id: this.#speaking, audio_start_ms: atMs })
    }
    const item_id = this.#speaking
    if (item_id === null || this.#silentMs < (this.#input.turn_detection?.silence_duration_ms ?? 500)) return
    this.#speaking = null
    this.#items.set(item_id, { id: item_id, type: 'message', audioMs: 0 })
    this.#tell('input_audio_buffer.speech_stopped', { item_id, audio_end_ms: atMs })
    this.#tell('input_audio_buffer.committed', { item_id, previous_item_id: null })
    void this.#transcribe(item_id)
  }

  async #transcribe(item_id: string) {
    const { transcript, transcriptMs = 0 } = this.#vendor.behaviour
    const text = transcript((this.#turns += 1))
    await sleep(transcriptMs)
    const about = { item_id, content_index: 0 }
    const topic = 'conversation.item.input_audio_transcription'
    if (text === null)
      return this.#tell(`${topic}.failed`, { ...about, error: { message: 'it was unclear' } })
    for (const delta of wordsIn(text)) this.#tell(`${topic}.delta`, { ...about, delta })
    return this.#tell(`${topic}.completed`, {
      ...about,
      transcript: text,
      usage: { type: 'duration', seconds: 1 },
    })
  }

  #add(event: Event) {
    const item = event['item'] as Item & { role?: string; content?: { type: string }[] }
    const kinds = contentOf[item.role ?? '']
    if (item.type === 'message' && !item.content?.every(({ type }) => type === kinds))
      return this.#refuse(event, `Invalid content of a ${item.role} message.`, 'invalid_value')
    const isAnswer = item.type === 'function_call_output'
    const isCalled = [...this.#items.values()].some(({ call_id }) => call_id === item.call_id)
    if (isAnswer && !isCalled)
      return this.#refuse(event, `Tool call ID '${item.call_id}' not found.`, 'invalid_tool_call_id')
    const id = this.#id('item')
    if (!isAnswer) this.#items.set(id, { ...item, id, audioMs: 0 })
    return this.#tell('conversation.item.added', { item: { ...item, id } })
  }

  #truncate(event: Event) {
    const { item_id, content_index, audio_end_ms } = event as unknown as Record<string, number>
    const item = this.#items.get(String(item_id))
    if (!item || content_index !== 0)
      return this.#refuse(event, `Item '${item_id}' not found.`, 'item_not_found')
    if (!Number.isInteger(audio_end_ms) || Number(audio_end_ms) > item.audioMs)
      return this.#refuse(event, `Audio content of ${item.audioMs}ms is already shorter.`, 'invalid_value')
    item.audioMs = Number(audio_end_ms)
    return this.#tell('conversation.item.truncated', { item_id, content_index, audio_end_ms })
  }

  #cancel(event: Event) {
    if (!this.#active)
      return this.#refuse(
        event,
        'Cancellation failed: no active response found',
        'response_cancel_not_active',
      )
    this.#active.isCancelled = true
  }

  async #respond(event: Event) {
    if (this.#active)
      return this.#refuse(
        event,
        'Conversation already has an active response',
        'conversation_already_has_active_response',
      )
    const wanted = event['response'] as {
      instructions?: string
      tools?: { name: string }[]
      metadata?: unknown
    }
    const unknown = Object.keys(wanted).find((name) => !responseFields.has(name))
    if (unknown) return this.#refuse(event, `Unknown parameter: 'response.${unknown}'.`, 'unknown_parameter')
    const { instructions = '', tools = [], metadata = null } = wanted
    const active = { id: this.#id('resp'), metadata, isCancelled: false }
    this.#active = active
    this.#tell('response.created', {
      response: { id: active.id, status: 'in_progress', metadata, output: [] },
    })
    const said = instructions.startsWith(sayExactly)
      ? { text: instructions.slice(sayExactly.length) }
      : this.#vendor.behaviour.answer({ instructions, tools: tools.map(({ name }) => name) })
    if (said instanceof Error) {
      const error = { type: 'server_error', code: null, message: said.message }
      return this.#done('failed', { status_details: { type: 'failed', error } })
    }
    await this.#speak(active, said.text)
    for (const call of active.isCancelled ? [] : (said.calls ?? [])) this.#call(active.id, call)
    const why = { status_details: { type: 'cancelled', reason: 'client_cancelled' } }
    return active.isCancelled ? this.#done('cancelled', why) : this.#done('completed', {})
  }

  async #speak(active: { id: string; isCancelled: boolean }, text: string) {
    if (text === '') return
    const item: Item = { id: this.#id('item'), type: 'message', audioMs: 0 }
    const about = { response_id: active.id, item_id: item.id, output_index: 0, content_index: 0 }
    this.#items.set(item.id, item)
    for (const delta of wordsIn(text)) {
      await sleep(this.#vendor.behaviour.betweenWordsMs ?? 1)
      if (active.isCancelled) return
      this.#tell('response.output_audio_transcript.delta', { ...about, delta })
      this.#tell('response.output_audio.delta', { ...about, delta: soundOfWord })
      item.audioMs += wordMs
    }
    this.#tell('response.output_audio.done', about)
    this.#tell('response.output_audio_transcript.done', { ...about, transcript: text })
    this.#tell('response.output_item.done', {
      response_id: active.id,
      output_index: 0,
      item: { ...item, role: 'assistant' },
    })
  }

  #call(response_id: string, call: NonNullable<Said['calls']>[number]) {
    const item = { id: this.#id('item'), type: 'function_call', status: 'completed', ...call }
    this.#items.set(item.id, { ...item, audioMs: 0 })
    this.#tell('response.function_call_arguments.done', {
      response_id,
      item_id: item.id,
      output_index: 1,
      ...call,
    })
    this.#tell('response.output_item.done', { response_id, output_index: 1, item })
  }

  #done(status: string, more: object) {
    const { id, metadata } = this.#active ?? {}
    this.#active = null
    this.#tell('response.done', {
      response: { id, object: 'realtime.response', metadata, status, usage, ...more },
    })
  }
}
