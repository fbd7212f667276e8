import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { manifestOf } from './packed-packages.ts'

const contract = '@switchroom/contract/'
const specifiers = /(\bfrom\s+|\bimport\(|^import\s+)(['"])([^'"]+)\2/gm

/**
 * Writes the declarations that a package's entries need, the contract's among them: an author installs one package, and
 * no second copy of the contract can disagree with it. Returns the names of the classes among them.
 */
export function writeDeclarations(
  compiled: string,
  folder: string,
  entries: readonly string[],
  into: string,
): Set<string> {
  const needed = new Set(Object.keys(manifestOf(folder).dependencies ?? {}))
  const classes = new Set<string>()
  const waiting = entries.map((entry) => `${folder}/src/${entry}.d.ts`)
  const written = new Set<string>()
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (written.has(file)) continue
    written.add(file)
    const here = file
    const text = readFileSync(join(compiled, file), 'utf8')
    const moved = text.replaceAll(specifiers, (whole: string, start: string, quote: string, name: string) => {
      const target = targetOf(here, name, needed)
      if (target === undefined) return whole
      waiting.push(target)
      const path = posix
        .relative(posix.dirname(placeOf(here, folder)), placeOf(target, folder))
        .replace(/\.d\.ts$/, '.js')
      return `${start}${quote}${path.startsWith('.') ? path : `./${path}`}${quote}`
    })
    // one with type parameters could not be passed on by the CommonJS entry, which exports none
    for (const [, name = ''] of text.matchAll(/^export declare class (\w+)(?!\w|<)/gm)) classes.add(name)
    const place = join(into, placeOf(file, folder))
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(place, moved)
  }
  return classes
}

/** The declarations that an import leads to; undefined for other packages. */
function targetOf(file: string, name: string, needed: ReadonlySet<string>): string | undefined {
  if (name.startsWith(contract)) return `contract/src/${name.slice(contract.length)}.d.ts`
  if (name.startsWith('@switchroom/')) {
    if (!needed.has(name)) throw new Error(`${file} names ${name}, which its package does not`)
    return undefined
  }
  if (!name.startsWith('.')) return undefined
  return posix.join(posix.dirname(file), name.replace(/\.[jt]s$/, '.d.ts'))
}

const placeOf = (file: string, folder: string) =>
  file.startsWith(`${folder}/src/`)
    ? file.slice(folder.length + 5)
    : file.replace(/^contract\/src\//, 'contract/')
