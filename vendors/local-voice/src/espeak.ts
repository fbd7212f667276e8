import load, { type EspeakWorker } from '@echogarden/espeak-ng-emscripten'
import { SpokenWords, type SpokenWord } from './spoken-words.ts'
import type { EspeakVoice } from './voices.ts'

/** A sample louder than this is voice; what espeak puts between clauses is zero. */
const audible = 100

export interface Manner {
  /** As espeak itself calls the voice, with its variant. */
  identifier: string
  wordsPerMinute: number
}

/** What one piece of a text became: its samples in order, its words as soon as they are over. */
export interface Listener {
  audio(samples: Int16Array): void
  word(word: SpokenWord): void
}

/** espeak-ng in this process. One voice at a time, and nothing else happens while it speaks. */
export class Espeak {
  readonly voices: readonly EspeakVoice[]
  readonly #worker: EspeakWorker
  #identifier = ''

  private constructor(worker: EspeakWorker) {
    this.#worker = worker
    this.voices = worker.list_voices().map(({ name, identifier, languages }) => ({
      name: name.trim(),
      identifier,
      tags: languages.map((language) => ({ tag: language.name.toLowerCase(), priority: language.priority })),
    }))
  }

  static async load(): Promise<Espeak> {
    const { eSpeakNGWorker: Worker } = await load({ print() {} }) // stdout carries messages
    return new Espeak(new Worker())
  }

  get sampleRate(): number {
    return this.#worker.samplerate
  }

  /** Times count from `startSample`; returns how many samples were spoken. */
  speak(piece: string, manner: Manner, startSample: number, listener: Listener): number {
    this.#take(manner)
    const words = new SpokenWords(piece, startSample / this.sampleRate)
    let samples = 0
    let voiced = 0
    this.#worker.synthesize(plainText(piece), (chunk, events) => {
      for (const event of events) {
        if (event.type !== 'word') continue
        const at = Math.min(event.audio_position / 1_000, (samples + chunk.length) / this.sampleRate)
        const begins = Math.round(at * this.sampleRate) - samples
        voiced = lastVoiced(chunk.subarray(0, Math.max(0, begins)), samples) ?? voiced
        for (const word of words.reach(event.text_position - 1, at, voiced / this.sampleRate))
          listener.word(word)
      }
      voiced = lastVoiced(chunk, samples) ?? voiced
      samples += chunk.length
      if (chunk.length > 0) listener.audio(chunk)
      return false
    })
    for (const word of words.end(voiced / this.sampleRate)) listener.word(word)
    return samples
  }

  #take({ identifier, wordsPerMinute }: Manner) {
    if (identifier !== this.#identifier) this.#worker.set_voice(identifier, '', 0, 0, 0)
    this.#identifier = identifier
    this.#worker.rate = wordsPerMinute
  }
}

function lastVoiced(chunk: Int16Array, from: number): number | undefined {
  const index = chunk.findLastIndex((sample) => Math.abs(sample) > audible)
  return index === -1 ? undefined : from + index + 1
}

/** espeak takes markup and phonemes in brackets; a text is neither. Every character keeps its place. */
export function plainText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}<]|&(?=#?\w+;)/gu, (character) => (character === '\n' ? character : ' '))
    .replaceAll('[[', '((')
}
