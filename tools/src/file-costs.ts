import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { type CpuTime, cpuTime, difference } from './cpu-time.ts'

/** What one test file cost: the time it took, and the CPU of its process and of the children that process waited for. */
export interface FileCost extends CpuTime {
  file: string
  wallMs: number
}

/** Names the file into which the processes of a run write what their test files cost. */
export const costsVariable = 'TEST_COSTS'

/** Records one test file after another of this process; its start counts for the first of them. */
export class CostRecorder {
  #cpu: CpuTime = { userMs: 0, systemMs: 0 }
  #wallMs = 0

  record(file: string): void {
    const path = process.env[costsVariable]
    if (!path) return
    const [cpu, wallMs] = [cpuTime(), performance.now()]
    const cost: FileCost = { file, wallMs: wallMs - this.#wallMs, ...difference(cpu, this.#cpu) }
    appendFileSync(path, `${JSON.stringify(cost)}\n`)
    this.#cpu = cpu
    this.#wallMs = wallMs
  }
}

/** Of a file that ran again, the last time. */
export function readCosts(path: string): FileCost[] {
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n')
  const costs = lines.filter(Boolean).map((line): FileCost => JSON.parse(line))
  return [...new Map(costs.map((cost) => [cost.file, cost])).values()]
}
