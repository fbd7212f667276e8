import type { RealtimeTold } from '@switchroom/kit/vendor'
import { audioMessage, inputRate, type ClientMessage } from './realtime-messages.ts'

const bytesPerMs = (inputRate * 2) / 1_000
/** A voice is noticed a little after it began. */
const beforeSpeechBytes = 800 * bytesPerMs
/** What is said while a reply must not be interrupted; what is older is lost. */
const mostHeldBytes = 30_000 * bytesPerMs
/** Words come in pieces, and the last is not marked. */
const wordsQuietMs = 700

/** What the party says, on its way to the vendor: only speech is sent, as one activity until a reply is asked for. */
export class PartyAudio {
  #isSpeaking = false
  #isOpen = false
  #recent: Uint8Array[] = []
  #held: Uint8Array[] = []

  /** Whether an activity has begun that no reply was asked for. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  get isSpeaking(): boolean {
    return this.#isSpeaking
  }

  hear(pcm: Uint8Array) {
    if (this.#isSpeaking) keepLast(this.#held, pcm, mostHeldBytes)
    else keepLast(this.#recent, pcm, beforeSpeechBytes)
  }

  started() {
    this.#isSpeaking = true
    this.#held.push(...this.#recent.splice(0))
  }

  ended() {
    this.#isSpeaking = false
  }

  /** Everything that was said and not sent. The start of an activity interrupts what the model says. */
  take(): ClientMessage[] {
    if (this.#held.length === 0) return []
    const messages = this.#held.splice(0).map(audioMessage)
    if (this.#isOpen) return messages
    this.#isOpen = true
    return [{ realtimeInput: { activityStart: {} } }, ...messages]
  }

  /** The end of an activity has the model reply. */
  close(): ClientMessage {
    this.#isOpen = false
    return { realtimeInput: { activityEnd: {} } }
  }
}

function keepLast(pieces: Uint8Array[], pcm: Uint8Array, mostBytes: number) {
  pieces.push(pcm)
  let bytes = pieces.reduce((sum, { length }) => sum + length, 0)
  while (bytes > mostBytes && pieces.length > 1) bytes -= pieces.shift()?.length ?? 0
}

/** The party's turns and their words, which come whenever the vendor has them. */
export class PartyWords {
  readonly #tell: (told: RealtimeTold) => void
  #count = 0
  #turn: string | null = null
  #text = ''
  #isEnded = false
  #isFinal = false
  #quiet: NodeJS.Timeout | undefined
  /** Of the turns since the last reply. */
  #heard = ''

  constructor(tell: (told: RealtimeTold) => void) {
    this.#tell = tell
  }

  /** Of the newest turn. */
  get areKnown(): boolean {
    return this.#isFinal || this.#text.trim() !== ''
  }

  started() {
    this.#settle()
    this.#turn = `turn_${(this.#count += 1)}`
    this.#text = ''
    this.#isEnded = this.#isFinal = false
    this.#tell({ type: 'turn', state: 'started', turn: this.#turn })
  }

  ended() {
    if (this.#turn === null || this.#isEnded) return
    this.#isEnded = true
    this.#tell({ type: 'turn', state: 'ended', turn: this.#turn })
    this.#await()
  }

  heard(text: string, isFinished: boolean) {
    this.#text += text
    this.#heard += text
    this.#show(this.#text)
    if (isFinished && this.#isEnded) this.#settle()
    else this.#await()
  }

  /** What comes next may still change. */
  interim(text: string) {
    this.#show(this.#text + text)
  }

  /** The words that were answered; no more of them are expected. */
  answered(): string {
    const heard = this.#heard.trim()
    this.#heard = ''
    if (this.#isEnded && this.#text.trim() === '' && !this.#isFinal && this.#turn !== null) {
      this.#isFinal = true
      this.#tell({ type: 'final', turn: this.#turn, text: null })
    }
    this.#settle()
    return heard
  }

  close() {
    clearTimeout(this.#quiet)
  }

  #show(text: string) {
    if (this.#turn !== null && text.trim() !== '')
      this.#tell({ type: 'partial', turn: this.#turn, text: text.trimStart() })
  }

  #await() {
    clearTimeout(this.#quiet)
    if (this.#isEnded && this.#text.trim() !== '')
      this.#quiet = setTimeout(() => this.#settle(), wordsQuietMs)
  }

  #settle() {
    clearTimeout(this.#quiet)
    const text = this.#text.trim()
    if (this.#turn === null || !this.#isEnded || text === '') return
    this.#text = ''
    this.#isFinal = true
    this.#tell({ type: 'final', turn: this.#turn, text })
  }
}
