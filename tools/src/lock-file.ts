/** A package of the lock file, as npm wrote it. */
export interface LockedPackage {
  name?: string
  version?: string
  license?: string
  integrity?: string
  link?: boolean
  resolved?: string
  optional?: boolean
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

export interface LockFile {
  version: string
  packages: Record<string, LockedPackage>
}

/** The paths of all packages that these need when they run, on any platform, each with the paths of those it needs. */
export function neededBy({ packages }: LockFile, roots: readonly string[]): Map<string, string[]> {
  const needs = new Map<string, string[]>()
  const waiting = [...roots]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (needs.has(path)) continue
    const { dependencies = {}, optionalDependencies = {} } = packages[path] ?? {}
    const names = new Set([...Object.keys(dependencies), ...Object.keys(optionalDependencies)])
    const found = [...names].flatMap((name) => resolved(packages, path, name) ?? [])
    needs.set(path, found)
    waiting.push(...found)
  }
  return needs
}

/** Where Node would find it: in the nearest `node_modules`, or the folder that a link there leads to. */
function resolved(packages: LockFile['packages'], from: string, name: string): string | undefined {
  for (let folder = from; ; folder = parentOf(folder)) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
    const found = packages[path]
    if (found) return found.link ? found.resolved : path
    if (folder === '') return undefined
  }
}

const parentOf = (folder: string) => folder.slice(0, Math.max(0, folder.lastIndexOf('/')))

export const nameOf = (path: string, { name }: LockedPackage): string =>
  name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
