import type { RecordChange } from './log.store.ts'
import type { LogRef, Stamped } from './entries.ts'

/** What entries change outside the log: counts on call records, ends of calls, and credits charged to orgs. */
export function changesOf(writes: readonly { log: LogRef; entries: readonly Stamped[] }[]) {
  const records = new Map<string, RecordChange>()
  const ends: { call: string; ts: number; reason: string }[] = []
  const charges = new Map<string, number>()
  for (const { log, entries } of writes) {
    if (log.call === null) continue
    for (const { type, ts, data } of entries) {
      if (isCounted(type)) count(records, log.call, type, data)
      if (type === 'call.ended') ends.push({ call: log.call, ts, reason: String(data['reason']) })
      if (type === 'metrics' && typeof data['credits'] === 'number' && data['credits'] > 0)
        charges.set(log.org, (charges.get(log.org) ?? 0) + data['credits'])
    }
  }
  return { records: [...records.values()], ends, charges: [...charges] }
}

const isCounted = (type: string) => type === 'error' || type === 'user.message' || type === 'agent.message'

function count(records: Map<string, RecordChange>, call: string, type: string, data: Stamped['data']) {
  const record = records.get(call) ?? { call, errors: 0, llmTimeouts: 0, turns: 0 }
  records.set(call, record)
  if (type !== 'error') record.turns += 1
  else {
    record.errors += 1
    if (data['code'] === 'llm_timeout') record.llmTimeouts += 1
  }
}
