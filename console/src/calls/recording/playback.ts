import type { Waveform } from '@switchroom/contract/recordings'
import type { Entry } from '@switchroom/contract/log'
import { createContext, useContext, useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import { spokenTurnsOf, turnAt, wordsOf, type SpokenTurn, type SpokenWord } from './speech-times.ts'

/** Of the position that is shown: the sound itself is at any other. */
const stepS = 0.1

interface Player {
  play: (fromS: number) => void
  pause: () => void
}

/** Where a recording is, shared by its player and the transcript. */
export class Playback {
  isPlaying = false
  atS = 0
  turn: SpokenTurn | null = null
  /** Of the turn's words. */
  word = -1
  /** The player that is on the page. */
  #player: Player | null = null
  #turns: readonly SpokenTurn[] = []
  #words: readonly SpokenWord[] = []
  readonly #listeners = new Set<() => void>()

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  play(fromS: number) {
    this.#player?.play(fromS)
  }

  pause() {
    this.#player?.pause()
  }

  attach(player: Player): () => void {
    this.#player = player
    return () => {
      this.#player = null
      this.setPlaying(false)
    }
  }

  follow(turns: readonly SpokenTurn[]) {
    this.#turns = turns
  }

  moveTo(seconds: number, isHeard: boolean) {
    const turn = isHeard ? turnAt(this.#turns, seconds) : null
    if (turn !== this.turn) this.#words = turn ? wordsOf(turn) : []
    const word = this.#words.findLastIndex(({ fromS }) => fromS <= seconds)
    const atS = Math.round(seconds / stepS) * stepS
    if (turn === this.turn && word === this.word && atS === this.atS) return
    Object.assign(this, { turn, word, atS })
    this.#changed()
  }

  setPlaying(isPlaying: boolean) {
    this.isPlaying = isPlaying
    this.#changed()
  }

  #changed() {
    for (const listener of this.#listeners) listener()
  }
}

export interface SpokenCall {
  playback: Playback
  turns: ReadonlyMap<number, SpokenTurn>
}

/** The call's recording as its transcript shows it; null while there is none. */
export const SpokenCallContext = createContext<SpokenCall | null>(null)

export function useSpokenCall(entries: readonly Entry[], waveform: Waveform | undefined): SpokenCall | null {
  const [playback] = useState(() => new Playback())
  const turns = useMemo(() => (waveform ? spokenTurnsOf(entries, waveform) : null), [entries, waveform])
  useEffect(() => playback.follow(turns ?? []), [playback, turns])
  return useMemo(
    () => turns && { playback, turns: new Map(turns.map((turn) => [turn.seq, turn])) },
    [playback, turns],
  )
}

export interface HeardTurn extends SpokenTurn {
  playback: Playback
  isHeard: boolean
  isPlaying: boolean
  /** The index of the word that is heard, else -1. */
  word: number
}

/** A turn of the transcript as the recording has it; null if it cannot be heard. */
export function useHeardTurn(seq: number): HeardTurn | null {
  const spoken = useContext(SpokenCallContext)
  const playback = spoken?.playback ?? silent
  const word = useSyncExternalStore(playback.subscribe, () =>
    playback.turn?.seq === seq ? playback.word : notHeard,
  )
  const isPlaying = useIsPlaying(playback)
  const turn = spoken?.turns.get(seq)
  const isHeard = word !== notHeard
  return turn ? { ...turn, playback, isHeard, isPlaying: isHeard && isPlaying, word } : null
}

const silent = new Playback()
const notHeard = -2

export const useIsPlaying = (playback: Playback) =>
  useSyncExternalStore(playback.subscribe, () => playback.isPlaying)

export const usePosition = (playback: Playback) =>
  useSyncExternalStore(playback.subscribe, () => playback.atS)
