import { readdirSync, readFileSync } from 'node:fs'

/** Seconds of CPU that all processes of this name below another have used so far, those that ended included. */
export function cpuOfChildren(ancestor: number, name: string): number {
  const processes = new Map(readdirSync('/proc').flatMap((entry) => statOf(Number(entry))))
  const isBelow = (pid: number): boolean => {
    const parent = processes.get(pid)?.parent
    return parent === ancestor || (parent !== undefined && parent > 1 && isBelow(parent))
  }
  return [...processes]
    .filter(([pid, stat]) => stat.name === name && isBelow(pid))
    .reduce((sum, [, stat]) => sum + stat.cpuS, 0)
}

function statOf(pid: number): [number, { name: string; parent: number; cpuS: number }][] {
  if (!(pid > 0)) return []
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'))
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15)
    return [[pid, { name, parent: fields[1] ?? 0, cpuS: (user + system + endedUser + endedSystem) / 100 }]]
  } catch {
    return [] // it has ended meanwhile
  }
}
