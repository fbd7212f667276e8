import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../test-files.ts'

/** A package.json as far as the build reads and writes it. */
export interface Manifest {
  name: string
  version: string
  description: string
  license: string
  keywords?: string[]
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  repository?: { type: string; url: string; directory?: string }
  [more: string]: unknown
}

export const manifestOf = (folder: string) =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest

/** The folders whose packages authors install, in the order in which they are published. */
export const packedFolders = ['contract', 'sdk', 'cli', 'browser', 'react'] as const
export type PackedFolder = (typeof packedFolders)[number]

/** What differs between the package.json of the checkout and the one that is published. */
export interface Published {
  folder: PackedFolder
  files: string[]
  dependencies: Record<string, string>
  entries: Record<string, unknown>
}

/** The package.json that is published: entries that lead to built files, and nothing that only the checkout needs. */
export function publishedManifest({ folder, files, dependencies, entries }: Published): Manifest {
  const { name, description, license, keywords, peerDependencies } = manifestOf(folder)
  const { version, repository, engines, homepage, bugs } = manifestOf('.')
  if (!repository)
    throw new Error('package.json names no repository, which the provenance of a package needs')
  return {
    name,
    version,
    description,
    license,
    ...(keywords && { keywords }),
    homepage,
    bugs,
    repository: { ...repository, directory: folder },
    type: 'module',
    engines,
    ...entries,
    files,
    dependencies,
    ...(peerDependencies !== undefined && { peerDependencies }),
    publishConfig: { access: 'public', provenance: true },
  }
}

/** The versions that the checkout has of these packages. */
export function versionsOf(folder: string, names: readonly string[]): Record<string, string> {
  const { dependencies = {}, devDependencies = {} } = manifestOf(folder)
  const known: Record<string, string> = { ...devDependencies, ...dependencies }
  return Object.fromEntries(
    names.map((name) => {
      const version = known[name]
      if (version === undefined) throw new Error(`${folder}/package.json does not name ${name}`)
      return [name, version]
    }),
  )
}
