import type { CpuTime } from './cpu-time.ts'
import type { FileCost } from './file-costs.ts'

const named = 20

/** What a run cost besides its test files. */
export interface RunCosts {
  wallMs: number
  /** Everything, test files included. */
  whole: CpuTime
  postgres: CpuTime
}

export const cpuMs = ({ userMs, systemMs }: CpuTime) => userMs + systemMs

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
const minutes = (ms: number) => `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`

/** The files that took longest, those that cost the most CPU, and what the whole run cost. */
export function suiteReport(files: readonly FileCost[], { wallMs, whole, postgres }: RunCosts): string {
  const inFiles = files.reduce((sum, file) => sum + cpuMs(file), 0)
  return [
    `The slowest of ${files.length} files:`,
    ...ranked(files, (file) => file.wallMs),
    '',
    'The files that cost the most CPU:',
    ...ranked(files, cpuMs),
    '',
    `The run took ${minutes(wallMs)} and ${minutes(cpuMs(whole))} of CPU: ${minutes(whole.userMs)} user, ${minutes(whole.systemMs)} system.`,
    `Of the CPU, test files took ${minutes(inFiles)}, PostgreSQL ${minutes(cpuMs(postgres))}, the runner ${minutes(cpuMs(whole) - cpuMs(postgres) - inFiles)}.`,
    'Processes that outlived the process that started them are not counted.',
    '',
  ].join('\n')
}

function ranked(files: readonly FileCost[], msOf: (file: FileCost) => number): string[] {
  return files
    .toSorted((a, b) => msOf(b) - msOf(a))
    .slice(0, named)
    .map((file) => `${seconds(msOf(file)).padStart(9)}  ${file.file}`)
}
