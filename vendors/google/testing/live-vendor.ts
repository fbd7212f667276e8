import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RealtimeBehaviour } from '@switchroom/kit/testing/realtime-conformance'
import type { Seen, SocketAnswer, Wire } from '@switchroom/kit/testing/wire-fake'
import { fields, isLoudIn, livePath, soundOfWord, usageMetadata, wordsIn } from './live-shapes.ts'

const sayExactly = 'Say exactly the following text, word for word, and nothing before or after it:\n\n'
const quietBytes = 16_000 // half a second

export interface LiveBehaviour extends RealtimeBehaviour {
  /** How long it waits with the end of a turn, as if its audio were played. */
  playsMs?: number
  /** It says no more than so many words until it is interrupted or this changes. */
  saysOnly?: number
  /** Words that were on their way when it was interrupted. */
  late?: string
  /** It closes a connection after so many words of the next answers. */
  breaksAfter?: (number | undefined)[]
  /** It never says how a session is resumed. */
  isForgetful?: boolean
}

interface Content {
  role: 'user' | 'model'
  parts: { text?: string }[]
}

interface Message {
  setup?: Setup
  clientContent?: { turns?: Content[]; turnComplete?: boolean }
  realtimeInput?: { audio?: { data: string; mimeType: string }; activityStart?: object; activityEnd?: object }
  toolResponse?: { functionResponses: { id: string; name: string; response: { output?: string } }[] }
  contextUpdate?: Pick<Setup, 'systemInstruction'> & { tools?: { tools?: Setup['tools'] } }
}

interface Setup {
  model?: string
  systemInstruction?: { parts: { text: string }[] }
  tools?: { functionDeclarations?: { name: string; behavior?: string }[] }[]
  sessionResumption?: { handle?: string }
  realtimeInputConfig?: { automaticActivityDetection?: { disabled?: boolean } }
  [field: string]: unknown
}

/** What a session knows, as a handle restores it. */
type Known = string[]

/** Google's Live API as its reference describes it, for as many connections as are opened. */
export class LiveVendor {
  readonly connections: LiveConnection[] = []
  readonly handles = new Map<string, Known>()
  behaviour: LiveBehaviour
  turns = 0

  constructor(behaviour: LiveBehaviour) {
    this.behaviour = behaviour
  }

  readonly wire: Required<Pick<Wire, 'refusal' | 'socket'>> = {
    refusal: (message) => ({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }),
    socket: (socket, seen) => void this.connections.push(new LiveConnection(this, socket, seen)),
  }
}

export class LiveConnection {
  readonly seen: Seen
  /** Everything it was sent but sound. */
  readonly messages: Message[] = []
  setup: Setup = {}
  known: Known = []
  /** Of activities. */
  heardBytes = 0
  /** Sound that came outside of any. */
  strayBytes = 0
  /** Why it closed; a client that keeps to the reference leaves none. */
  readonly errors: string[] = []
  readonly #vendor: LiveVendor
  readonly #socket: SocketAnswer
  #isInActivity = false
  #quietBytes = 0
  #active: { isInterrupted: boolean; isGenerated: boolean } | null = null
  #calls = new Map<string, string>()

  constructor(vendor: LiveVendor, socket: SocketAnswer, seen: Seen) {
    this.#vendor = vendor
    this.#socket = socket
    this.seen = seen
    assert.equal(seen.url.pathname.replace('//', '/'), livePath) // the vendor's own client writes two
    assert.ok(seen.url.searchParams.get('key') ?? seen.headers['x-goog-api-key'])
    socket.onFrame((frame) => this.#take(JSON.parse(String(frame)) as Message))
  }

  goesAway(timeLeft = '50s') {
    this.#send({ goAway: { timeLeft } })
  }

  breaksOff(code = 1011, reason = 'Deadline expired before operation could complete.') {
    this.#socket.close(code, reason)
  }

  /** Its JSON comes in binary frames. */
  #send(message: object) {
    this.#socket.send(Buffer.from(JSON.stringify(message)))
  }

  #refuse(why: string) {
    this.errors.push(why)
    this.#socket.close(1007, why)
  }

  #take(message: Message) {
    const [kind = '', ...others] = Object.keys(message)
    const body = (message as Record<string, object>)[kind] ?? {}
    const unknown = Object.keys(body).find((name) => !fields[kind]?.has(name))
    if (!fields[kind] || others.length > 0) return this.#refuse('Request contains an invalid argument.')
    if (unknown) return this.#refuse(`Invalid JSON payload received. Unknown name "${unknown}" at '${kind}'`)
    if (!message.realtimeInput?.audio) this.messages.push(message)
    if (message.setup) return this.#open(message.setup)
    if (message.clientContent) return this.#add(message.clientContent)
    if (message.realtimeInput) return this.#hear(message.realtimeInput)
    if (message.toolResponse) return this.#learn(message.toolResponse.functionResponses)
    return this.#update(message.contextUpdate ?? {})
  }

  #open(setup: Setup) {
    if (this.messages.length > 1) return this.#refuse('setup must be the first message')
    if (!setup.model?.startsWith('models/')) return this.#refuse('models/… is expected')
    const { handle } = setup.sessionResumption ?? {}
    const known = handle === undefined ? [] : this.#vendor.handles.get(handle)
    if (!known) return this.#refuse('Session not found')
    this.setup = setup
    this.known = [...known]
    this.#send({ setupComplete: { sessionId: 'session' } })
    return this.#saveState()
  }

  #saveState() {
    if (!this.setup.sessionResumption || this.#vendor.behaviour.isForgetful) return
    const newHandle = `handle_${this.#vendor.handles.size + 1}`
    this.#vendor.handles.set(newHandle, [...this.known])
    this.#send({ sessionResumptionUpdate: { newHandle, resumable: true } })
  }

  #update({ systemInstruction, tools }: NonNullable<Message['contextUpdate']>) {
    if (systemInstruction) this.setup = { ...this.setup, systemInstruction }
    if (tools) this.setup = { ...this.setup, tools: tools.tools ?? [] }
  }

  #add({ turns = [], turnComplete = false }: NonNullable<Message['clientContent']>) {
    this.#interrupt()
    for (const { role, parts } of turns) {
      if (role !== 'user' && role !== 'model') return this.#refuse('Please use a valid role: user, model.')
      this.known.push(`${role}: ${parts.map(({ text = '' }) => text).join('')}`)
    }
    if (turnComplete) void this.#generate(turns.at(-1)?.parts[0]?.text ?? '')
    return undefined
  }

  get #isManual(): boolean {
    return this.setup.realtimeInputConfig?.automaticActivityDetection?.disabled === true
  }

  #hear({ audio, activityStart, activityEnd }: NonNullable<Message['realtimeInput']>) {
    if (audio) return this.#listen(audio)
    if (!this.#isManual || this.#isInActivity === (activityStart !== undefined))
      return this.#refuse('Precondition check failed.')
    if (activityStart) return this.#beginActivity()
    if (activityEnd) return void this.#endActivity()
    return undefined
  }

  #beginActivity() {
    this.#isInActivity = true
    this.#interrupt()
  }

  async #endActivity() {
    this.#isInActivity = false
    const { transcript } = this.#vendor.behaviour
    const text = transcript((this.#vendor.turns += 1))
    for (const word of wordsIn(text ?? '')) {
      this.#send({ serverContent: { inputTranscription: { text: word } } })
      await sleep(1)
    }
    this.known.push(`user: ${text}`)
    await this.#generate('')
  }

  #listen({ data, mimeType }: { data: string; mimeType: string }) {
    if (mimeType !== 'audio/pcm;rate=16000') return this.#refuse(`${mimeType} is not supported`)
    const pcm = Buffer.from(data, 'base64')
    if (!this.#isManual) this.#detect(pcm)
    if (this.#isInActivity) this.heardBytes += pcm.length
    else this.strayBytes += pcm.length
    return undefined
  }

  /** Its own turn detection: loud is speech, and a long silence ends it. */
  #detect(pcm: Buffer) {
    this.#quietBytes = isLoudIn(pcm) ? 0 : this.#quietBytes + pcm.length
    if (this.#quietBytes === 0 && !this.#isInActivity) this.#beginActivity()
    if (this.#quietBytes >= quietBytes && this.#isInActivity) void this.#endActivity()
  }

  #learn(responses: NonNullable<Message['toolResponse']>['functionResponses']) {
    for (const { id, name, response } of responses) {
      if (!this.#calls.delete(id)) return this.#refuse(`Function call ${id} is not found`)
      this.known.push(`tool: ${name}: ${response.output}`)
    }
    if (this.#calls.size === 0) void this.#generate('')
    return undefined
  }

  /** A message or the start of an activity interrupts what it says, and cancels what it waits for. */
  #interrupt() {
    const ids = [...this.#calls.keys()]
    this.#calls.clear()
    if (ids.length > 0) this.#send({ toolCallCancellation: { ids } })
    if (!this.#active) return
    this.#active.isInterrupted = true
    for (const word of wordsIn(this.#vendor.behaviour.late ?? '')) this.#sendWord(word)
    this.#send({ serverContent: { interrupted: true } })
    this.#complete()
  }

  #complete(more: object = {}) {
    this.#active = null
    this.#send({ serverContent: { turnComplete: true, ...more }, usageMetadata })
    this.#saveState()
  }

  async #generate(asked: string) {
    const active = { isInterrupted: false, isGenerated: false }
    this.#interrupt()
    this.#active = active
    const { behaviour } = this.#vendor
    const tools = (this.setup.tools ?? []).flatMap(({ functionDeclarations = [] }) => functionDeclarations)
    const wanted = {
      instructions: this.setup.systemInstruction?.parts.map(({ text }) => text).join('') ?? '',
      tools: tools.map(({ name }) => name),
    }
    this.#send({ sessionResumptionUpdate: { resumable: false } })
    const said = asked.startsWith(sayExactly)
      ? { text: asked.slice(sayExactly.length) }
      : behaviour.answer(wanted)
    if (said instanceof Error) return this.#complete({ turnCompleteReason: 'RESPONSE_REJECTED' })
    await this.#speak(active, said.text)
    if (active.isInterrupted) return undefined
    if (said.calls) return this.#call(said.calls)
    this.#send({ serverContent: { generationComplete: true } })
    await sleep(behaviour.playsMs ?? 5, undefined, { ref: false })
    return active.isInterrupted ? undefined : this.#complete()
  }

  #sendWord(text: string) {
    const parts = [{ inlineData: { mimeType: 'audio/pcm;rate=24000', data: soundOfWord } }]
    this.#send({ serverContent: { outputTranscription: { text }, modelTurn: { parts } } })
  }

  async #speak(active: { isInterrupted: boolean }, text: string) {
    const { behaviour } = this.#vendor
    const { betweenWordsMs = 1, breaksAfter } = behaviour
    const breaks = breaksAfter?.shift() ?? Infinity
    let spoken = ''
    for (const [nth, word] of wordsIn(text).entries()) {
      do await sleep(betweenWordsMs)
      while (nth >= (behaviour.saysOnly ?? Infinity) && !active.isInterrupted)
      if (nth >= breaks) this.breaksOff()
      if (active.isInterrupted || nth >= breaks) break
      spoken += word
      this.#sendWord(word)
    }
    if (breaks === 0) this.breaksOff()
    if (spoken !== '') this.known.push(`model: ${spoken.trim()}`)
    if (breaks < Infinity) active.isInterrupted = true
  }

  #call(calls: readonly { id: string; name: string; arguments: string }[]) {
    this.#active = null
    for (const { id, name } of calls) this.#calls.set(id, name)
    const functionCalls = calls.map(({ id, name, arguments: given }) => {
      return { id, name, args: JSON.parse(given) as object }
    })
    this.#send({ toolCall: { functionCalls } })
  }
}
