import { readFileSync } from 'node:fs'

export interface CpuTime {
  userMs: number
  systemMs: number
}

const tickMs = 10 // Linux counts in hundredths of a second, for every program

/** This process since its start, with every child it has waited for; outside Linux without the children. */
export function cpuTime(): CpuTime {
  try {
    return fromStat(readFileSync('/proc/self/stat', 'utf8'))
  } catch {
    const { userCPUTime, systemCPUTime } = process.resourceUsage()
    return { userMs: userCPUTime / 1000, systemMs: systemCPUTime / 1000 }
  }
}

/** From a line of `/proc/<pid>/stat`: utime, stime, cutime and cstime are its fields 14 to 17. */
export function fromStat(line: string): CpuTime {
  const afterName = line.slice(line.lastIndexOf(')') + 2).split(' ') // a program's name may hold spaces
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = afterName.slice(11, 15).map(Number)
  return { userMs: (user + childUser) * tickMs, systemMs: (system + childSystem) * tickMs }
}

export const difference = (now: CpuTime, before: CpuTime): CpuTime => ({
  userMs: now.userMs - before.userMs,
  systemMs: now.systemMs - before.systemMs,
})
