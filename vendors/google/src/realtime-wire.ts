import { randomUUID } from 'node:crypto'
import type { RealtimeAsked, RealtimeTold, Tool } from '@switchroom/kit/vendor'
import { Journal } from './realtime-journal.ts'
import {
  contentMessage,
  declarationsOf,
  instructionsOf,
  refusalIn,
  usageOf,
  userText,
  type ClientMessage,
  type ServerMessage,
} from './realtime-messages.ts'
import { PartyAudio, PartyWords } from './realtime-party.ts'
import { heardOf, ServerTurns, type ServerTurn } from './realtime-replies.ts'
import { Untold } from './realtime-untold.ts'

const sayExactly = 'Say exactly the following text, word for word, and nothing before or after it:\n\n'
const unspoken = 'You were interrupted before the end of your last answer: the rest of it was not heard.'
const heardOnly = (words: string) =>
  words === ''
    ? 'You were interrupted: nothing of your last answer was heard.'
    : `You were interrupted. Of your last answer only this was heard: “${words}”`

/** A reply that follows nothing which was said: without a request the model may keep silent. */
const yourTurn = 'It is your turn to speak now.'
/** The words of a turn may come only once the model may answer it: it may after this time, and is not heard. */
const unaskedMs = 3_000

type Wish = Extract<RealtimeAsked, { type: 'reply' | 'say' }>

/** One conversation on the vendor's wire, over however many connections. */
export class LiveWire {
  readonly #told: RealtimeTold[] = []
  readonly #wake: () => void
  readonly #audio = new PartyAudio()
  readonly #words = new PartyWords((told) => this.#tell(told))
  readonly #turns = new ServerTurns()
  readonly #journal = new Journal()
  /** Sent as soon as that interrupts nothing. */
  readonly #untold = new Untold()
  #instructions = ''
  #tools: readonly Tool[] = []
  /** What the party said before the tools were called that are not answered yet. */
  #heard = ''
  /** It makes one reply at a time. */
  #next: Wish | null = null
  #unasked: NodeJS.Timeout | undefined
  #isUnasked = false

  constructor(onWake: () => void) {
    this.#wake = onWake
  }

  /** What a connection is opened with, so that it continues this conversation. */
  get setup(): object {
    const { handle } = this.#journal
    return {
      sessionResumption: { ...(handle !== null && { handle }) },
      ...(this.#instructions !== '' && { systemInstruction: instructionsOf(this.#instructions) }),
      ...(this.#tools.length > 0 && { tools: declarationsOf(this.#tools) }),
    }
  }

  /** Whether another connection could take over and nothing would have to be repeated. */
  get isSettled(): boolean {
    const isQuiet = !this.#audio.isOpen && !this.#audio.isSpeaking && this.#turns.unfinished.length === 0
    return isQuiet && this.#isResumable && this.#journal.messages.length === 0
  }

  get #isResumable(): boolean {
    return this.#journal.handle !== null && !this.#untold.isWaiting
  }

  /** What another connection must be sent; null if it cannot continue, because an answer or a call broke off. */
  resume(): readonly ClientMessage[] | null {
    const unfinished = this.#turns.unfinished
    const isBroken = unfinished.some(
      ({ isStopped, audioMs, text }) => !isStopped && audioMs + text.length > 0,
    )
    if (isBroken || !this.#isResumable) return null
    for (const turn of unfinished) if (turn.isStopped) this.#finish(turn, null, true)
    this.#turns.forgetDone()
    return this.#journal.messages
  }

  /** What is to be told, once. */
  taken(): RealtimeTold[] {
    return this.#told.splice(0)
  }

  /** No more words come. */
  breakOff() {
    this.#words.answered()
  }

  close() {
    this.#words.close()
    clearTimeout(this.#unasked)
  }

  /** What is to be sent although nothing was asked or heard. */
  due(): ClientMessage[] {
    const isDue = this.#isUnasked && this.#audio.isOpen && !this.#audio.isSpeaking && !this.#turns.isBusy
    this.#isUnasked = false
    if (!isDue || this.#words.areKnown) return []
    this.#turns.beginUnasked()
    return this.#sent([this.#audio.close()])
  }

  ask(asked: RealtimeAsked): ClientMessage[] {
    return this.#sent(this.#translated(asked))
  }

  hear(message: ServerMessage): ClientMessage[] {
    const { serverContent, toolCall, toolCallCancellation, usageMetadata, sessionResumptionUpdate } = message
    if (usageMetadata) this.#count(usageOf(usageMetadata))
    if (serverContent) this.#hearContent(serverContent)
    if (toolCall) this.#hearCalls(toolCall.functionCalls ?? [])
    for (const id of toolCallCancellation?.ids ?? []) this.#untold.cancelled(id)
    const { newHandle, resumable } = sessionResumptionUpdate ?? {}
    if (resumable && newHandle) this.#journal.resumable(newHandle)
    return this.#sent(this.#released())
  }

  #sent(messages: ClientMessage[]): ClientMessage[] {
    this.#journal.add(messages)
    return messages
  }

  #tell(told: RealtimeTold) {
    this.#told.push(told)
    this.#wake()
  }

  #translated(asked: RealtimeAsked): ClientMessage[] {
    if (asked instanceof Uint8Array) {
      this.#audio.hear(asked)
      return this.#released()
    }
    if (asked.type === 'speech') return this.#heedSpeech(asked.state)
    if (asked.type === 'tell') this.#untold.learn(asked.message)
    else if (asked.type === 'stop') this.#stop(asked.reply)
    else if (asked.type === 'cut') this.#cut(asked.item, asked.heardMs)
    else if (this.#turns.isBusy) this.#next = asked
    else {
      this.#noteStopped()
      return [...this.#audio.take(), ...this.#begin(asked)]
    }
    return []
  }

  /** What waited for a reply to be over. */
  #released(): ClientMessage[] {
    if (this.#turns.isBusy) return []
    this.#noteStopped()
    const notes = this.#untold.takeContents()
    const known = notes.length > 0 ? [contentMessage(notes, false)] : []
    const heard = this.#audio.take()
    const wish = this.#next
    this.#next = null
    return [...known, ...heard, ...(wish ? this.#begin(wish) : [])]
  }

  /** A message interrupts what the model says: there must be one. */
  #noteStopped() {
    const stopped = this.#turns.unfinished.filter(({ isNoted }) => !isNoted)
    if (stopped.length > 0 && !this.#untold.hasContents) this.#untold.note(unspoken)
    for (const turn of stopped) turn.isNoted = true
  }

  #heedSpeech(state: 'started' | 'ended'): ClientMessage[] {
    if ((state === 'started') === this.#audio.isSpeaking) return []
    clearTimeout(this.#unasked)
    if (state === 'started') {
      this.#audio.started()
      this.#words.started()
    } else {
      this.#audio.ended()
      this.#words.ended()
      this.#unasked = setTimeout(() => {
        this.#isUnasked = true
        this.#wake()
      }, unaskedMs)
    }
    return this.#released()
  }

  #stop(reply: string) {
    if (this.#next?.reply === reply) this.#next = null
    const turn = this.#turns.get(reply)
    if (turn && !turn.isDone) turn.isStopped = true
  }

  #cut(item: string, heardMs: number) {
    const turn = this.#turns.get(item)
    if (turn) this.#untold.note(heardOnly(heardOf(turn, heardMs)))
  }

  #begin(wish: Wish): ClientMessage[] {
    this.#turns.begin(wish.reply)
    const update = this.#contextFor(wish)
    const known = this.#untold.takeContents()
    const canAnswer = this.#untold.endsWithUser
    this.#untold.answered()
    if (wish.type === 'say')
      return [...update, contentMessage([...known, userText(sayExactly + wish.text)], true)]
    const functionResponses = this.#untold.takeOutcomes()
    const hasOutcomes = functionResponses.length > 0
    if (!hasOutcomes && !this.#audio.isOpen)
      return [...update, contentMessage(canAnswer ? known : [...known, userText(yourTurn)], true)]
    return [
      ...update,
      ...(known.length > 0 ? [contentMessage(known, false)] : []),
      ...(hasOutcomes ? [{ toolResponse: { functionResponses } }] : []),
      ...(this.#audio.isOpen ? [this.#audio.close()] : []),
    ]
  }

  /** Only what changed: the vendor reads everything anew then. */
  #contextFor(wish: Wish): ClientMessage[] {
    const { instructions, tools } =
      wish.type === 'say' ? { instructions: this.#instructions, tools: [] } : wish
    const isOther = JSON.stringify(tools) !== JSON.stringify(this.#tools)
    const contextUpdate = {
      ...(instructions !== this.#instructions && { systemInstruction: instructionsOf(instructions) }),
      ...(isOther && { tools: { tools: declarationsOf(tools) } }),
    }
    this.#instructions = instructions
    this.#tools = tools
    return Object.keys(contextUpdate).length > 0 ? [{ contextUpdate }] : []
  }

  #hearContent(content: NonNullable<ServerMessage['serverContent']>) {
    const { modelTurn, inputTranscription, interimInputTranscription, outputTranscription } = content
    if (interimInputTranscription?.text) this.#words.interim(interimInputTranscription.text)
    if (inputTranscription)
      this.#words.heard(inputTranscription.text ?? '', inputTranscription.finished ?? false)
    if (outputTranscription?.text) this.#hearWords(outputTranscription.text)
    for (const { inlineData } of modelTurn?.parts ?? [])
      if (inlineData?.data) this.#hearAudio(inlineData.data)
    if (content.interrupted) this.#turns.interrupted()
    if (content.generationComplete) this.#finish(this.#turns.generated(), null, false)
    if (content.turnComplete) this.#finish(this.#turns.completed(), refusalIn(content), true)
  }

  #speaking(): ServerTurn | undefined {
    const { turn, over } = this.#turns.speaking()
    for (const before of over) this.#finish(before, null, true)
    return turn
  }

  #hearWords(text: string) {
    const turn = this.#speaking()
    if (!turn) return
    turn.text += text
    if (!turn.isStopped) this.#tell({ type: 'text', reply: turn.reply, text })
  }

  #hearAudio(data: string) {
    const turn = this.#speaking()
    if (!turn) return
    const pcm = Buffer.from(data, 'base64')
    this.#turns.addAudio(turn, pcm)
    if (!turn.isStopped) this.#tell({ type: 'audio', reply: turn.reply, item: turn.reply, pcm })
  }

  /** It says nothing more until it knows what came of them. */
  #hearCalls(calls: NonNullable<NonNullable<ServerMessage['toolCall']>['functionCalls']>) {
    const turn = this.#speaking()
    for (const { id = `call_${randomUUID()}`, name = '', args = {} } of calls) {
      this.#untold.called(id)
      if (turn) this.#tell({ type: 'call', reply: turn.reply, id, name, arguments: JSON.stringify(args) })
    }
    if (!turn) return
    turn.isDone = true
    this.#heard += this.#words.answered()
    // what it used is usually counted with its continuation
    const usage = turn.usage ?? usageOf({})
    this.#tell({ type: 'replied', reply: turn.reply, failure: null, usage })
  }

  #finish(turn: ServerTurn | undefined, failure: string | null, isLast: boolean) {
    if (!turn) return
    turn.isDone = true
    this.#journal.answered(this.#heard + this.#words.answered(), turn.text.trim(), this.#audio.isOpen)
    this.#heard = ''
    const usage = turn.usage ?? (isLast ? usageOf({}) : null)
    if (turn.isAsked) this.#tell({ type: 'replied', reply: turn.reply, failure, usage })
  }

  #count(usage: ReturnType<typeof usageOf>) {
    const turn = this.#turns.counted
    if (!turn) return
    if ((turn.isDone && turn.usage === null) || !turn.isAsked)
      this.#tell({ type: 'used', reply: turn.reply, usage })
    turn.usage ??= usage
  }
}
