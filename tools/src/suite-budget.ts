import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FileCost } from './file-costs.ts'
import { cpuMs } from './suite-report.ts'

/** Seconds, as measured on one machine: only how they relate to each other matters on another. */
export interface Costs {
  wallSeconds: number
  cpuSeconds: number
}

export interface SuiteBudget {
  /** CPU seconds of all test files of a package. */
  packages: Record<string, number>
  /** The files that take longer than most. */
  files: Record<string, Costs>
}

const path = join(import.meta.dirname, 'suite-budget.json')
const listedFromSeconds = 4
const longestLine = 110 // the formatter's
const unlisted: Costs = { wallSeconds: 2, cpuSeconds: 1 }
/** A share may become this many times as large. */
const growth = 1.5
/** A package that takes next to nothing may grow by this part of the whole. */
const negligible = 0.005

export function readBudget(): SuiteBudget {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : { packages: {}, files: {} }
}

export function writeBudget(budget: SuiteBudget): void {
  writeFileSync(path, textOf(budget))
}

/** One line a file, as far as the formatter leaves it one. */
export function textOf(budget: SuiteBudget): string {
  const text = JSON.stringify(budget, null, 2)
  const oneLineAFile = text.replace(
    /^( +"[^"]+": )\{\n +("wallSeconds": [\d.]+,)\n +("cpuSeconds": [\d.]+)\n +\}(,?)$/gm,
    (lines: string, name: string, wall: string, cpu: string, comma: string) => {
      const line = `${name}{ ${wall} ${cpu} }${comma}`
      return line.length <= longestLine ? line : lines
    },
  )
  return `${oneLineAFile}\n`
}

export const costIn = (budget: SuiteBudget, file: string): Costs => budget.files[file] ?? unlisted

const rounded = (ms: number) => Math.round(ms / 100) / 10
const packageOf = (file: string) => file.slice(0, file.indexOf('/'))
const byName = <T>(entries: [string, T][]): Record<string, T> =>
  Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))

export function measuredBudget(files: readonly FileCost[]): SuiteBudget {
  const packages = [...Map.groupBy(files, ({ file }) => packageOf(file))].map(
    ([name, own]): [string, number] => [name, rounded(own.reduce((sum, file) => sum + cpuMs(file), 0))],
  )
  const listed = files
    .filter(({ wallMs }) => wallMs >= listedFromSeconds * 1000)
    .map((cost): [string, Costs] => [
      cost.file,
      { wallSeconds: rounded(cost.wallMs), cpuSeconds: rounded(cpuMs(cost)) },
    ])
  return { packages: byName(packages), files: byName(listed) }
}

/** One sentence for each package whose share of the CPU grew by half: shares, because machines differ in pace. */
export function overBudget(measured: SuiteBudget, budget: SuiteBudget): string[] {
  const now = shares(measured.packages)
  const before = shares(budget.packages)
  return Object.entries(now).flatMap(([name, share]) => {
    const agreed = before[name] ?? 0
    if (share <= Math.max(agreed * growth, agreed + negligible)) return []
    return [
      `The tests of ${name} took ${percent(share)} of the CPU of all test files; the budget has ${percent(agreed)}, and allows half as much again. Make them cheaper, or write the budget anew: node tools/src/test.ts --measure`,
    ]
  })
}

function shares(packages: Record<string, number>): Record<string, number> {
  const whole = Object.values(packages).reduce((sum, seconds) => sum + seconds, 0)
  return Object.fromEntries(Object.entries(packages).map(([name, seconds]) => [name, seconds / whole]))
}

const percent = (share: number) => `${(share * 100).toFixed(1)} %`
