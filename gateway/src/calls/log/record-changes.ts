import type { LogRef, Stamped } from './entries.ts'

/** What entries add to the counts on their call's record. */
export function countsOf(entries: readonly Stamped[]) {
  const counts = { errors: 0, llmTimeouts: 0, turns: 0 }
  for (const { type, data } of entries)
    if (type === 'user.message' || type === 'agent.message') counts.turns += 1
    else if (type === 'error') {
      counts.errors += 1
      if (data['code'] === 'llm_timeout') counts.llmTimeouts += 1
    }
  return counts
}

/** What entries change beside their log and its call's counts: ends of calls, and credits charged to orgs. */
export function changesOf(writes: readonly { log: LogRef; entries: readonly Stamped[] }[]) {
  const ends: { call: string; ts: number; reason: string }[] = []
  const charges = new Map<string, number>()
  for (const { log, entries } of writes) {
    if (log.call === null) continue
    for (const { type, ts, data } of entries) {
      if (type === 'call.ended') ends.push({ call: log.call, ts, reason: String(data['reason']) })
      if (type === 'metrics' && typeof data['credits'] === 'number' && data['credits'] > 0)
        charges.set(log.org, (charges.get(log.org) ?? 0) + data['credits'])
    }
  }
  return { ends, charges: [...charges] }
}
