import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { SourceFile } from 'typescript/unstable/ast'
import { API } from 'typescript/unstable/async'
import { createVirtualFileSystem } from 'typescript/unstable/fs'

/** Text by path from the project's root. */
export type Sources = Record<string, string>

const sourceName = /\.[cm]?[jt]sx?$/
const skippedFolders = new Set(['node_modules', 'dist', 'data', 'coverage'])

/** Every source file and package.json of every workspace, and the root's package.json. */
export function readSources(root: string): Sources {
  const manifest: { workspaces: string[] } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const found = globSync(
    manifest.workspaces.map((workspace) => `${workspace}/**/*.*`),
    { cwd: root, exclude: (path) => skippedFolders.has(basename(path)) },
  )
  const paths = found.filter((path) => sourceName.test(path) || basename(path) === 'package.json').toSorted()
  return Object.fromEntries(
    ['package.json', ...paths].map((path) => [path, readFileSync(join(root, path), 'utf8')]),
  )
}

/** TypeScript's own parser, over memory alone: nothing is resolved, nothing is checked. */
export async function parse(sources: Sources): Promise<Map<string, SourceFile>> {
  const paths = Object.keys(sources).filter((path) => sourceName.test(path))
  const config = { compilerOptions: { allowJs: true, noLib: true, noResolve: true, types: [] }, files: paths }
  const compiler = new API({
    cwd: '/project',
    fs: createVirtualFileSystem({
      '/project/tsconfig.json': JSON.stringify(config),
      ...Object.fromEntries(Object.entries(sources).map(([path, text]) => [`/project/${path}`, text])),
    }),
  })
  try {
    const snapshot = await compiler.updateSnapshot({ openProjects: ['/project/tsconfig.json'] })
    const program = snapshot.getProjects()[0]?.program
    const parsed = new Map<string, SourceFile>()
    for (const path of paths) {
      const file = await program?.getSourceFile(`/project/${path}`)
      if (!file) throw new Error(`${path} could not be parsed`)
      parsed.set(path, file)
    }
    return parsed
  } finally {
    await compiler.close()
  }
}
