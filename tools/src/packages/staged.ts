import {
  chmodSync,
  copyFileSync,
  cpSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { root } from '../test-files.ts'
import { bundleCommand, bundlePages, bundleSdk, commandNeeds, notices } from './bundles.ts'
import { checkCommand, compileSources, declarePages } from './compiled.ts'
import { writeDeclarations } from './declarations.ts'
import { publishedManifest, versionsOf, type Manifest, type PackedFolder } from './packed-packages.ts'
import { commonDeclarations, exportedNames, moduleEntry } from './sdk-declarations.ts'

const noticesFile = 'THIRD-PARTY-NOTICES.txt'

/** Builds each package into a folder of its own under `work`, as npm packs it. */
export async function stagePackages(work: string): Promise<Record<PackedFolder, string>> {
  mkdirSync(work, { recursive: true })
  const compiled = compileSources(work)
  declarePages(work, compiled)
  checkCommand(work)
  const staged = {
    contract: stageContract(work, compiled),
    sdk: await stageSdk(work, compiled),
    cli: await stageCommand(work),
    browser: await stageBrowser(work, compiled),
    react: await stageReact(work, compiled),
  }
  rmSync(compiled, { recursive: true })
  return staged
}

function stageContract(work: string, compiled: string): string {
  const folder = freshFolder(work, 'contract')
  const sources = join(compiled, 'contract', 'src')
  cpSync(sources, join(folder, 'dist'), { recursive: true })
  for (const file of globSync('**/*.d.ts', { cwd: join(folder, 'dist') })) {
    const path = join(folder, 'dist', file)
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"))
  }
  const names = globSync('**/*.js', { cwd: sources }).map((file) => file.replace(/\.js$/, ''))
  const exports = Object.fromEntries(
    names
      .toSorted()
      .map((name) => [`./${name}`, { types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` }]),
  )
  const dependencies = versionsOf('contract', ['typebox'])
  const entries = { exports: { ...exports, './package.json': './package.json' }, sideEffects: false }
  finish(
    folder,
    'contract',
    publishedManifest({ folder: 'contract', files: ['dist'], dependencies, entries }),
  )
  return folder
}

async function stageSdk(work: string, compiled: string): Promise<string> {
  const folder = freshFolder(work, 'sdk')
  const dist = join(folder, 'dist')
  const classes = writeDeclarations(compiled, 'sdk', ['sdk'], join(dist, 'types'))
  const exported = exportedNames(readFileSync(join(root, 'sdk', 'src', 'sdk.ts'), 'utf8'))
  writeFileSync(join(dist, 'sdk.js'), moduleEntry(exported))
  writeFileSync(join(dist, 'sdk.d.cts'), commonDeclarations(exported, classes))
  writeFileSync(join(folder, noticesFile), notices(await bundleSdk(join(dist, 'sdk.cjs'))))
  const entries = {
    main: './dist/sdk.cjs',
    types: './dist/sdk.d.cts',
    exports: {
      '.': {
        import: { types: './dist/types/sdk.d.ts', default: './dist/sdk.js' },
        require: { types: './dist/sdk.d.cts', default: './dist/sdk.cjs' },
      },
      './package.json': './package.json',
    },
    sideEffects: false,
  }
  // the declarations name types of TypeBox, of ws and, by way of the latter, of Node
  const dependencies = versionsOf('sdk', ['@types/ws', 'typebox', 'ws'])
  const files = ['dist', noticesFile]
  finish(folder, 'sdk', publishedManifest({ folder: 'sdk', files, dependencies, entries }))
  return folder
}

async function stageCommand(work: string): Promise<string> {
  const folder = freshFolder(work, 'cli')
  writeFileSync(join(folder, noticesFile), notices(await bundleCommand(join(folder, 'dist'))))
  cpSync(join(root, 'cli', 'assets'), join(folder, 'assets'), { recursive: true })
  mkdirSync(join(folder, 'bin'))
  copyFileSync(join(root, 'cli', 'bin', 'installed-svc.mjs'), join(folder, 'bin', 'svc.mjs'))
  chmodSync(join(folder, 'bin', 'svc.mjs'), 0o755)
  const entries = { bin: { svc: 'bin/svc.mjs' }, exports: { './package.json': './package.json' } }
  const dependencies = versionsOf('media', commandNeeds)
  const files = ['assets', 'bin', 'dist', noticesFile]
  finish(folder, 'cli', publishedManifest({ folder: 'cli', files, dependencies, entries }))
  return folder
}

/** LiveKit's client stays a package: it is loaded by calls that run on LiveKit, and by no other. */
async function stageBrowser(work: string, compiled: string): Promise<string> {
  const folder = freshFolder(work, 'browser')
  const dist = join(folder, 'dist')
  const sources = { browser: 'browser/src/browser.ts', element: 'browser/src/embed.ts' }
  await bundlePages(dist, sources, ['livekit-client'])
  writeDeclarations(compiled, 'browser', ['browser', 'embed'], join(dist, 'types'))
  const entries = {
    exports: {
      '.': { types: './dist/types/browser.d.ts', default: './dist/browser.js' },
      './element': { types: './dist/types/embed.d.ts', default: './dist/element.js' },
      './package.json': './package.json',
    },
    sideEffects: ['./dist/element.js'],
  }
  // the declarations name types of TypeBox, of which nothing comes into a page
  const dependencies = {
    ...versionsOf('browser', ['livekit-client']),
    ...versionsOf('contract', ['typebox']),
  }
  finish(folder, 'browser', publishedManifest({ folder: 'browser', files: ['dist'], dependencies, entries }))
  return folder
}

async function stageReact(work: string, compiled: string): Promise<string> {
  const folder = freshFolder(work, 'react')
  const dist = join(folder, 'dist')
  await bundlePages(dist, { react: 'react/src/react.ts' }, ['@switchroom/browser', 'react'])
  writeDeclarations(compiled, 'react', ['react'], join(dist, 'types'))
  const entries = {
    exports: {
      '.': { types: './dist/types/react.d.ts', default: './dist/react.js' },
      './package.json': './package.json',
    },
    sideEffects: false,
  }
  const dependencies = versionsOf('react', ['@switchroom/browser'])
  finish(folder, 'react', publishedManifest({ folder: 'react', files: ['dist'], dependencies, entries }))
  return folder
}

function freshFolder(work: string, name: PackedFolder): string {
  const folder = join(work, name)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  return folder
}

function finish(folder: string, name: PackedFolder, manifest: Manifest): void {
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  copyFileSync(join(root, name, 'README.md'), join(folder, 'README.md'))
}
