import { eventOf } from '@switchroom/kit/server-events'
import { speakerNumbers } from '@switchroom/kit/speakers'
import type { Heard } from '@switchroom/kit/vendor'
import { failureOf } from './failures.ts'
import { stretchesOf, type Result, type ResultReader } from './results.ts'

interface Message {
  message?: string
  results?: Result[]
  language_pack_info?: { word_delimiter?: string }
  /** It was asked to end the utterance. */
  forced?: boolean
  /** Of an error. */
  type?: string
  reason?: string
}

/** It sends a few sure words at a time, and punctuation apart from its word: they are put together until the utterance ends. */
export class Utterances {
  readonly #endsBySilence: boolean
  readonly #reader: ResultReader = { delimiter: ' ', speakerNumber: speakerNumbers() }
  #sure: Result[] = []
  #isTurn = false

  constructor(endsBySilence: boolean) {
    this.#endsBySilence = endsBySilence
  }

  *hear(frame: string): Iterable<Heard | 'finished'> {
    const said = eventOf(frame) as Message
    if (said.message === 'Error') throw failureOf(said.type, said.reason || `its error is ${said.type}`)
    if (said.message === 'RecognitionStarted') {
      this.#reader.delimiter = said.language_pack_info?.word_delimiter ?? ' '
      yield { type: 'ready' }
    }
    if (said.message === 'AddPartialTranscript') yield* this.#show(said.results ?? [])
    if (said.message === 'AddTranscript') {
      this.#sure.push(...(said.results ?? []))
      if (this.#endsBySilence) yield* this.#show([])
      else yield* this.#commit()
    }
    if (said.message === 'EndOfUtterance') {
      yield* this.#commit()
      if (!said.forced) yield* this.#endTurn()
    }
    if (said.message === 'EndOfTranscript') {
      yield* this.#commit()
      yield* this.#endTurn()
      yield 'finished'
    }
  }

  *#show(unsure: readonly Result[]): Iterable<Heard> {
    const stretches = stretchesOf([...this.#sure, ...unsure], this.#reader)
    const text = stretches.map((stretch) => stretch.text).join(this.#reader.delimiter)
    if (text === '') return
    if (!this.#isTurn && this.#endsBySilence) yield { type: 'turn', state: 'started' }
    this.#isTurn = this.#endsBySilence
    yield { type: 'partial', text }
  }

  *#commit(): Iterable<Heard> {
    const stretches = stretchesOf(this.#sure, this.#reader)
    this.#sure = []
    for (const stretch of stretches) yield { type: 'final', ...stretch }
  }

  *#endTurn(): Iterable<Heard> {
    if (this.#isTurn) yield { type: 'turn', state: 'ended' }
    this.#isTurn = false
  }
}
