import type { Columns } from './log.store.ts'
import type { Writable } from './stamping.ts'

/** One column for each field, and for every write how many entries of its log come before it. */
export function columnsOf(writes: readonly Writable[]) {
  const columns: Columns = {
    logs: [],
    counts: [],
    runners: [],
    batches: [],
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
    }
    const first = columns.counts[at] ?? 0
    places.push(first)
    columns.counts[at] = first + entries.length
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
