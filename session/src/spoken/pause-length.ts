import { knobTable } from '@switchroom/contract/knobs'
import type { Turn as TurnKnobs } from '@switchroom/contract/settings'
import { likelyDone } from './end-of-turn.ts'

const endpointing = knobTable.turn.shape.members.endpointing_ms.default
/** How long a caller in the middle of a sentence may pause. */
const unfinishedMs = 1_500
/** The same if the words are a whole sentence, and only the sound or the caller's habit says that more comes. */
const perhapsUnfinishedMs = 900
const likely = 0.5

export interface Said {
  text: string
  /** How likely it is by the sound that they are done; null if no model judges it. */
  bySound: number | null
  /** How long this caller paused lately in the middle of what they said. */
  habitMs: number
  turn: TurnKnobs
  /** The likelihood by the sound from which on it is believed, if the settings do not say. */
  sureness: number
  language: string | null
}

/** How likely it is that a caller who said this is done, and how long they may still think. A pause that is set holds. */
export function pauseAfter({ text, bySound, habitMs, turn, sureness, language }: Said) {
  const byWords = likelyDone(text, language)
  const probability = bySound ?? byWords
  const isDone = probability >= (bySound === null ? likely : (turn.eot_threshold ?? sureness))
  const { endpointing_ms: setMs } = turn
  if (setMs !== undefined)
    return { probability, isDone, pauseMs: isDone ? setMs : Math.max(setMs, unfinishedMs) }
  const leastMs = bySound === null ? endpointing.value : endpointing.withTurnModel
  // a model hears hesitation in whole sentences too: the words bound how long it is believed
  const moreMs = byWords >= likely ? perhapsUnfinishedMs : unfinishedMs
  const thinkingMs = bySound === null ? Math.min(habitMs, perhapsUnfinishedMs) : 0
  return { probability, isDone, pauseMs: Math.max(leastMs, isDone ? thinkingMs : moreMs) }
}
