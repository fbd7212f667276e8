import { busy, refused, silent, type VendorFailure } from '@switchroom/kit/failures'
import { brokenOff } from '@switchroom/kit/live-transcription'
import { eventOf } from '@switchroom/kit/server-events'
import type { Heard } from '@switchroom/kit/vendor'
import type { SentAudio } from './sent-audio.ts'
import { twoLettersOf, wordOf, type Token } from './words.ts'

interface Message {
  message_type?: string
  text?: string
  language_code?: string | null
  words?: Token[]
  error?: string
}

/** It had nothing to commit. */
const empty = new Set(['commit_throttled', 'insufficient_audio_activity'])
const ownFaults = new Set(['transcriber_error', 'queue_overflow'])
const tooBusy = new Set(['rate_limited', 'resource_exhausted'])
const goodbye = 1000

function failureOf(type: string, words: string): VendorFailure {
  if (tooBusy.has(type)) return busy(words)
  return ownFaults.has(type) ? silent(words) : refused(words)
}

/** What was asked to be committed, and what the vendor says of it. */
export class Commits {
  readonly #sent: SentAudio
  #unanswered = 0
  #isOver = false

  constructor(sent: SentAudio) {
    this.#sent = sent
  }

  ask() {
    this.#unanswered += 1
  }

  endAfterThis() {
    this.#isOver = true
  }

  *hear(frame: string): Iterable<Heard | 'finished'> {
    const message = eventOf(frame) as Message
    const type = message.message_type ?? ''
    if (type === 'session_started') yield { type: 'ready' }
    if (type === 'partial_transcript' && message.text) yield { type: 'partial', text: message.text }
    // each commit is answered twice; the answer without times says nothing that this one does not
    const isAnswer = type === 'committed_transcript_with_timestamps' || empty.has(type)
    if (isAnswer && message.text) yield { type: 'final', ...this.#utteranceIn(message) }
    if (isAnswer) this.#unanswered = Math.max(0, this.#unanswered - 1)
    else if (message.error !== undefined) throw failureOf(type, message.error)
    if (isAnswer && this.#isOver && this.#unanswered === 0) yield 'finished'
  }

  closed(closing: { code: number; reason: string }): VendorFailure | null {
    return this.#isOver && closing.code === goodbye ? null : silent(brokenOff(closing))
  }

  #utteranceIn({ text = '', words = [], language_code: code }: Message) {
    const said = words.flatMap((token) => {
      const word = wordOf(token)
      if (!word) return []
      return [{ ...word, start: this.#sent.timeOf(word.start), end: this.#sent.timeOf(word.end) }]
    })
    const [first, last, language] = [said[0], said.at(-1), twoLettersOf(code)]
    return {
      text: text.trim(),
      ...(first && last && { start: first.start, end: last.end }),
      ...(language !== null && { language }),
      words: said,
    }
  }
}
