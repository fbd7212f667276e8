import type { Columns } from './log.store.ts'
import type { Stamped, Writable } from './entries.ts'
import { countsOf } from './record-changes.ts'

/** Entries that belong to a call's end, accepted past the cap. */
const closingTypes: ReadonlySet<string> = new Set([
  'error',
  'say.requested',
  'callback.requested',
  'recording.stored',
])
const roomForClosing = 1000
/** A call can always end. */
const roomForEnd = 2000

/** One array for each field, and for every write its offset in its log. */
export function columnsOf(writes: readonly Writable[]) {
  const columns: Columns = {
    logs: [],
    counts: [],
    runners: [],
    batches: [],
    rooms: [],
    errors: [],
    llmTimeouts: [],
    turns: [],
    entryLogs: [],
    places: [],
    stamps: [],
    types: [],
    rests: [],
  }
  const indexes = new Map<string, number>()
  const places: number[] = []
  for (const { log, entries, runner, batch } of writes) {
    const known = indexes.get(log.id)
    const at = known ?? columns.logs.length
    if (known === undefined) {
      indexes.set(log.id, at)
      columns.logs.push(log.id)
      columns.counts.push(0)
      columns.runners.push(runner)
      columns.batches.push(batch)
      columns.rooms.push(roomForClosing)
      for (const counts of [columns.errors, columns.llmTimeouts, columns.turns]) counts.push(0)
    }
    const first = columns.counts[at] ?? 0
    places.push(first)
    columns.counts[at] = first + entries.length
    columns.rooms[at] = roomOf(entries, columns.rooms[at] ?? 0)
    const { errors, llmTimeouts, turns } = countsOf(entries)
    columns.errors[at] = (columns.errors[at] ?? 0) + errors
    columns.llmTimeouts[at] = (columns.llmTimeouts[at] ?? 0) + llmTimeouts
    columns.turns[at] = (columns.turns[at] ?? 0) + turns
    for (const [index, entry] of entries.entries()) {
      columns.entryLogs.push(log.id)
      columns.places.push(first + index + 1)
      columns.stamps.push(entry.ts)
      columns.types.push(entry.type)
      columns.rests.push(entry.rest)
    }
  }
  return { columns, places }
}

/** The smallest room of its writes, unless one of them ends the call. */
function roomOf(entries: readonly Stamped[], before: number): number {
  if (before === roomForEnd || entries.some(({ type }) => type === 'call.ended')) return roomForEnd
  return entries.every(({ type }) => closingTypes.has(type)) ? before : 0
}
