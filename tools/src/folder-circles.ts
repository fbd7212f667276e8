import { posix } from 'node:path'
import type { Import } from './architecture-imports.ts'

/** Folders that need each other cannot be read or moved apart. One inside the other is no circle: the outer assembles. */
export function folderCircles(imports: readonly Import[]): string[] {
  const between = imports.filter(({ file, target }) => target !== null && areSideBySide(file, target))
  const importsOf = Map.groupBy(between, ({ file }) => posix.dirname(file))
  const done = new Set<string>()
  const found: string[] = []
  for (const folder of importsOf.keys()) follow(folder, [])
  return found

  function follow(folder: string, trail: readonly Import[]): void {
    const way = trail.map(({ file }) => posix.dirname(file))
    for (const step of firstOfEach(importsOf.get(folder) ?? [])) {
      const to = posix.dirname(step.target ?? '')
      if (done.has(to)) continue
      const start = to === folder ? trail.length : way.indexOf(to)
      if (start === -1) follow(to, [...trail, step])
      else found.push(sentenceOf([...trail.slice(start), step]))
    }
    done.add(folder)
  }
}

function firstOfEach(imports: readonly Import[]): Import[] {
  const byTarget = Map.groupBy(imports, ({ target }) => posix.dirname(target ?? ''))
  return [...byTarget.values()].flatMap(([first]) => first ?? [])
}

function areSideBySide(file: string, target: string): boolean {
  const [from, to] = [`${posix.dirname(file)}/`, `${posix.dirname(target)}/`]
  return !from.startsWith(to) && !to.startsWith(from)
}

function sentenceOf(circle: readonly Import[]): string {
  const [first] = circle
  const steps = circle.map(({ file, target }) => `${file} imports ${target}`)
  return `${posix.dirname(first?.file ?? '')} is in a circle of folders: ${steps.join(', ')}.`
}
