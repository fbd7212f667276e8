import { closeSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'

/** Statements that take longer are written to PostgreSQL's log, with their plans. */
export const slowStatementMs = 40

export const plansLogged = [
  'session_preload_libraries=auto_explain',
  `auto_explain.log_min_duration=${slowStatementMs}`,
  'auto_explain.log_analyze=on',
  'auto_explain.log_timing=off',
  'auto_explain.log_nested_statements=on',
]

const linesShown = 40
const largeTables =
  'calls|logs|entries|dials|consents|consent_standings|known_contacts|keys|threads|turn_words'

/** A plan of a slow statement, as PostgreSQL logged it. */
export interface LoggedPlan {
  ms: number
  /** Whether it reads a large table from end to end. */
  isScan: boolean
  lines: string[]
}

/** Reads what PostgreSQL logs, each part once. */
export class PlanLog {
  readonly #file: string
  #readTo = 0

  /** @param parent the folder that holds the throwaway server's folder */
  constructor(parent: string) {
    const [folder = ''] = readdirSync(parent)
    this.#file = join(parent, folder, 'postgres.log')
  }

  /** The plans that were logged since the last time. */
  next(): LoggedPlan[] {
    const descriptor = openSync(this.#file, 'r')
    const length = fstatSync(descriptor).size - this.#readTo
    const bytes = Buffer.alloc(Math.max(0, length))
    readSync(descriptor, bytes, 0, bytes.length, this.#readTo)
    closeSync(descriptor)
    this.#readTo += bytes.length
    return bytes
      .toString()
      .split(/^(?=\d{4}-\d\d-\d\d .*?LOG: +duration: )/m)
      .flatMap(planIn)
  }
}

function planIn(logged: string): LoggedPlan[] {
  const ms = /duration: ([\d.]+) ms +plan:/.exec(logged)?.[1]
  if (ms === undefined) return []
  const lines = logged.split('\n').filter((line) => /->|cost=|Cond|Filter|Rows Removed/.test(line))
  const isScan = new RegExp(`Seq Scan on (${largeTables})`).test(logged)
  return [{ ms: Number(ms), isScan, lines: lines.slice(0, linesShown) }]
}
