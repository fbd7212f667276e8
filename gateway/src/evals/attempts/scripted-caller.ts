import type { ScriptedTurn } from '@switchroom/contract/evals'
import type { Entry } from '@switchroom/contract/log'

/** What the caller of a scenario does next. */
export type Act = { say: string; id: string } | { waitMs: number } | { hangUp: true }

const prefix = 'line-'

/** From the log alone, so that another gateway goes on where the one before stopped. */
export function nextAct(turns: readonly ScriptedTurn[], entries: readonly Entry[], now: Date): Act {
  const said = entries.filter(({ type, data }) => type === 'user.message' && isLine(data['messageId'])).length
  const rest = turns.slice(endOfLine(turns, said))
  const next = rest.findIndex(({ say }) => say !== undefined)
  const silence = next === -1 ? rest : rest.slice(0, next)
  const waitMs = silence.reduce((sum, { wait_s = 0 }) => sum + wait_s * 1000, 0)
  const sinceMs = now.getTime() - lastMessageAt(entries) * 1000
  if (sinceMs < waitMs) return { waitMs: waitMs - sinceMs }
  const say = rest[next]?.say
  return say === undefined ? { hangUp: true } : { say, id: `${prefix}${said + 1}` }
}

const isLine = (id: unknown) => typeof id === 'string' && id.startsWith(prefix)

/** Behind so many lines. */
function endOfLine(turns: readonly ScriptedTurn[], lines: number): number {
  let left = lines
  for (const [place, { say }] of turns.entries()) {
    if (left === 0) return place
    if (say !== undefined) left -= 1
  }
  return turns.length
}

const lastMessageAt = (entries: readonly Entry[]) =>
  entries.findLast(({ type }) => type === 'user.message' || type === 'agent.message')?.ts ??
  entries[0]?.ts ??
  0
