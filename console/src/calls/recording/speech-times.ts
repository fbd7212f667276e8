import type { Waveform } from '@switchroom/contract/recordings'
import type { Entry } from '@switchroom/contract/log'
import { numberIn, textIn } from '../conversation.ts'

/** When a turn is heard in a recording, in seconds from its beginning. */
export interface SpokenTurn {
  /** Of the entry that has its words. */
  seq: number
  text: string
  fromS: number
  toS: number
}

/** How many characters are said in a second where the log has no other measure. */
const charactersASecond = 14
const shortestS = 0.3
/** A longer silence of the caller is before the turn and not within it. */
const longestPauseS = 1
/** Of 255: line noise is below. */
const loudPeak = 8

/** Where each turn of the log is in the recording, in the order of the log. */
export function spokenTurnsOf(entries: readonly Entry[], waveform: Waveform): SpokenTurn[] {
  const positionOf = positionsOf(entries)
  const lengthS = waveform.duration_ms / 1000
  const played = playedOf(entries)
  const silences = silencesBefore(entries)
  const turns: SpokenTurn[] = []
  let callerUntilS = 0
  for (const { seq, ts, type, data } of entries) {
    const text = textIn(data['text']).trim()
    if (text === '') continue
    const saidS = Math.max(shortestS, text.length / charactersASecond)
    if (type === 'agent.message') {
      const known = played.get(textIn(data['messageId']))
      const fromS = known ? positionOf(known) : positionOf({ seq, ts }) - saidS
      turns.push(within(lengthS, { seq, text, fromS, toS: fromS + (known?.lastsS ?? saidS) }))
    } else if (type === 'user.message') {
      const toS = positionOf({ seq, ts }) - (silences.get(seq) ?? 0)
      const fromS = heardFrom(waveform, toS, callerUntilS) ?? toS - saidS
      turns.push(within(lengthS, { seq, text, fromS, toS }))
      callerUntilS = toS
    }
  }
  return turns
}

/** The position of an entry of the log in the recording, which another agent may have begun again. */
function positionsOf(entries: readonly Entry[]): (entry: Pick<Entry, 'seq' | 'ts'>) => number {
  const starts = entries
    .filter(({ type }) => type === 'recording.started')
    .map(({ seq, ts, data }) => ({ seq, ts, atS: (numberIn(data['atMs']) ?? 0) / 1000 }))
  const begun = entries.findLast(({ type }) => type === 'call.answered' || type === 'call.started')
  const first = starts[0] ?? { seq: 0, ts: begun?.ts ?? entries[0]?.ts ?? 0, atS: 0 }
  return ({ seq, ts }) => {
    const start = starts.findLast((each) => each.seq < seq) ?? first
    return start.atS + ts - start.ts
  }
}

/** What was played of each message of the agent, and from when. */
function playedOf(entries: readonly Entry[]) {
  const played = new Map<string, Pick<Entry, 'seq' | 'ts'> & { lastsS: number | null }>()
  for (const { seq, ts, type, data } of entries) {
    const message = textIn(data['messageId'])
    if (type === 'bot.speaking') played.set(message, { seq, ts, lastsS: null })
    const lastsMs =
      type === 'bot.finished'
        ? numberIn(data['durationMs'])
        : type === 'bot.interrupted' && numberIn(data['playedMs'])
    const known = played.get(message)
    if (known && typeof lastsMs === 'number') known.lastsS = lastsMs / 1000
  }
  return played
}

/** How long before its entry each turn of the caller ended, as the timings of its answer say. */
function silencesBefore(entries: readonly Entry[]): Map<number, number> {
  const silences = new Map<number, number>()
  let asked: number | null = null
  for (const { seq, type, data } of entries) {
    if (type === 'user.message') asked = seq
    if (asked === null || type !== 'metrics' || data['stage'] !== 'turn') continue
    const waits = [numberIn(data['transcript_ms']) ?? 0, numberIn(data['turn_end_ms']) ?? 0]
    silences.set(asked, Math.max(...waits) / 1000)
    asked = null
  }
  return silences
}

/** When the caller began to speak, by how loud they were; null if that is not known. */
function heardFrom({ caller, duration_ms }: Waveform, untilS: number, notBeforeS: number): number | null {
  if (!caller || caller.length === 0 || duration_ms === 0) return null
  const stretchS = duration_ms / 1000 / caller.length
  let first: number | null = null
  for (
    let at = Math.min(caller.length - 1, Math.floor(untilS / stretchS));
    at * stretchS >= notBeforeS;
    at -= 1
  ) {
    if ((caller[at] ?? 0) >= loudPeak) first = at
    else if (((first ?? untilS / stretchS) - at) * stretchS > longestPauseS) break
  }
  return first === null || untilS - first * stretchS < shortestS ? null : first * stretchS
}

function within(lengthS: number, turn: SpokenTurn): SpokenTurn {
  const fromS = Math.min(Math.max(0, turn.fromS), Math.max(0, lengthS - shortestS))
  return { ...turn, fromS, toS: Math.min(lengthS, Math.max(turn.toS, fromS + shortestS)) }
}

export interface SpokenWord {
  /** With the space behind it. */
  text: string
  fromS: number
}

/** The words of a turn, spread over its time by their length. */
export function wordsOf({ text, fromS, toS }: Pick<SpokenTurn, 'text' | 'fromS' | 'toS'>): SpokenWord[] {
  const words = text.match(/\S+\s*/g) ?? []
  const whole = Math.max(1, text.length)
  let before = 0
  return words.map((word) => {
    const at = fromS + ((toS - fromS) * before) / whole
    before += word.length
    return { text: word, fromS: at }
  })
}

/** The turn that is heard: of two at once the one that began last. */
export function turnAt(turns: readonly SpokenTurn[], atS: number): SpokenTurn | null {
  let found: SpokenTurn | null = null
  for (const turn of turns)
    if (turn.fromS <= atS && atS < turn.toS && (!found || turn.fromS >= found.fromS)) found = turn
  return found
}

export interface Silence {
  fromS: number
  toS: number
}

/** A shorter silence belongs to the conversation. */
const shortestSilenceS = 1.5
/** Left of a silence on both of its sides. */
const marginS = 0.25

/** Where neither side says anything. */
export function silencesOf({ caller, agent, duration_ms }: Waveform): Silence[] {
  const count = Math.min(caller?.length ?? 0, agent?.length ?? 0)
  const stretchS = duration_ms / 1000 / Math.max(1, count)
  const silences: Silence[] = []
  let from: number | null = null
  for (let at = 0; at <= count; at += 1) {
    const isQuiet = at < count && (caller?.[at] ?? 0) < loudPeak && (agent?.[at] ?? 0) < loudPeak
    if (isQuiet) from ??= at
    if (isQuiet || from === null) continue
    if ((at - from) * stretchS >= shortestSilenceS)
      silences.push({ fromS: from * stretchS + marginS, toS: at * stretchS - marginS })
    from = null
  }
  return silences
}
