import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../test-files.ts'

const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')

/** The language and the types of Node 20: what is newer does not compile, but for what newer-apis.ts replaces. */
const forNode20 = {
  target: 'es2022',
  lib: ['es2023', 'es2024.promise', 'esnext.disposable'],
  types: ['node'],
  noEmit: false,
  allowImportingTsExtensions: false,
  rewriteRelativeImportExtensions: true,
  noEmitOnError: true,
}

/** What tsc makes of the contract and of the SDK: JavaScript and declarations, by their paths in the checkout. */
export function compileSources(work: string): string {
  const out = join(work, 'compiled')
  const contract = globSync('contract/src/**/*.ts', { cwd: root }).filter(
    (file) => !file.endsWith('.test.ts'),
  )
  runCompiler(work, 'sources', [...contract, 'sdk/src/sdk.ts'], {
    declaration: true,
    rootDir: root,
    outDir: out,
  })
  return out
}

/** The language of browsers that were current in 2023, and what a page has. */
const forPages = {
  lib: ['es2023', 'dom', 'dom.iterable'],
  types: [],
  module: 'esnext',
  moduleResolution: 'bundler',
}

/** Adds the declarations of what web pages import to what was compiled. */
export function declarePages(work: string, compiled: string): void {
  runCompiler(work, 'pages', ['browser/src/browser.ts', 'browser/src/embed.ts', 'react/src/react.ts'], {
    ...forPages,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: root,
    outDir: compiled,
  })
}

/** Refuses what the command needs and Node 20 does not have. */
export function checkCommand(work: string): void {
  runCompiler(
    work,
    'command',
    ['cli/src/main.ts', 'media/src/sound/webassembly.d.ts', 'media/src/sip/sdp-transform.d.ts'],
    {
      rewriteRelativeImportExtensions: false,
      allowImportingTsExtensions: true,
      noEmit: true,
      noEmitOnError: false,
    },
  )
}

function runCompiler(work: string, name: string, files: string[], options: object): void {
  const typeRoots = join(work, 'types')
  rmSync(typeRoots, { recursive: true, force: true })
  mkdirSync(typeRoots, { recursive: true })
  symlinkSync(join(root, 'node_modules', '@types', 'node-20'), join(typeRoots, 'node'), 'dir')
  const config = join(work, `tsconfig.${name}.json`)
  const compilerOptions = { ...forNode20, typeRoots: [typeRoots], ...options }
  const settings = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions,
    files: files.map((file) => join(root, file)),
    include: [],
  }
  writeFileSync(config, JSON.stringify(settings, null, 2))
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', config], { encoding: 'utf8', cwd: root })
  if (status !== 0) throw new Error(`what is published does not compile (${name}):\n${stdout}`)
}
