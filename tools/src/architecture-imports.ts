import { posix } from 'node:path'
import { isStringLiteral } from 'typescript/unstable/ast/is'
import { parse, type Sources } from './sources.ts'

export interface Package {
  folder: string
  name: string
  dependencies: Set<string>
  devDependencies: Set<string>
  exports: Record<string, string>
}

export interface Import {
  file: string
  from: Package
  /** As the file writes it. */
  specifier: string
  /** The package named, null for a relative path. */
  bare: string | null
  /** The imported file, if it is one of ours. */
  target: string | null
  to: Package | null
}

interface Manifest {
  name?: string
  dependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  exports?: Record<string, string>
}

export function readPackages(sources: Sources): Package[] {
  return Object.entries(sources)
    .filter(([path]) => posix.basename(path) === 'package.json')
    .map(([path, text]) => {
      const manifest: Manifest = JSON.parse(text)
      return {
        folder: posix.dirname(path),
        name: manifest.name ?? '',
        dependencies: new Set(
          Object.keys({
            ...manifest.dependencies,
            ...manifest.optionalDependencies,
            ...manifest.peerDependencies,
          }),
        ),
        devDependencies: new Set(Object.keys(manifest.devDependencies ?? {})),
        exports: manifest.exports ?? {},
      }
    })
}

/** Imports and re-exports, of values and of types, static and dynamic; node's own modules left out. */
export async function readImports(sources: Sources, packages: Package[]): Promise<Import[]> {
  return [...(await parse(sources))].flatMap(([file, parsed]) => {
    const from = packageOf(file, packages)
    if (!from) return []
    return parsed.imports
      .filter((node) => isStringLiteral(node))
      .filter(({ text }) => !text.startsWith('node:'))
      .map(({ text }) => ({ file, from, specifier: text, ...resolve(file, text, packages) }))
  })
}

function packageOf(path: string, packages: Package[]): Package | null {
  const around = packages.filter(({ folder }) => path.startsWith(`${folder}/`))
  return around.toSorted((a, b) => b.folder.length - a.folder.length)[0] ?? null
}

function resolve(file: string, specifier: string, packages: Package[]) {
  if (specifier.startsWith('.')) {
    const target = posix.join(posix.dirname(file), specifier)
    return { bare: null, target, to: packageOf(target, packages) }
  }
  const bare = /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier
  const to = packages.find(({ name }) => name === bare) ?? null
  return { bare, to, target: to && exported(to, `.${specifier.slice(bare.length)}`) }
}

function exported(owner: Package, subpath: string): string | null {
  const longestFirst = Object.entries(owner.exports).toSorted(([a], [b]) => b.length - a.length)
  for (const [pattern, file] of longestFirst) {
    const [before = '', after] = pattern.split('*')
    if (after === undefined ? subpath !== pattern : !subpath.startsWith(before) || !subpath.endsWith(after))
      continue
    const wildcard = subpath.slice(before.length, subpath.length - (after?.length ?? 0))
    return posix.join(owner.folder, file.replace('*', wildcard))
  }
  return null
}
