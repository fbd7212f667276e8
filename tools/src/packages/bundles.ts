import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type BuildOptions, type Metafile } from 'esbuild'
import { root } from '../test-files.ts'

const shared = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  define: { 'Promise.withResolvers': 'newSettled' },
  inject: [fileURLToPath(new URL('./newer-apis.ts', import.meta.url))],
  charset: 'utf8',
  legalComments: 'none', // the notices of what is inside come in a file of their own
  logLevel: 'silent',
  metafile: true,
} as const satisfies BuildOptions

/** The SDK in one file, TypeBox inside: that is an ES module, which CommonJS cannot load on every Node 20. */
export async function bundleSdk(file: string): Promise<Metafile> {
  const { metafile } = await build({
    ...shared,
    entryPoints: ['sdk/src/sdk.ts'],
    outfile: file,
    format: 'cjs',
    external: ['ws'],
  })
  return metafile
}

/** Entries for web pages: ES modules, whose shared parts and LiveKit's connection are files of their own. */
export async function bundlePages(folder: string, entries: Record<string, string>, external: string[]) {
  await build({
    absWorkingDir: root,
    bundle: true,
    platform: 'browser',
    target: 'es2022',
    format: 'esm',
    splitting: true,
    chunkNames: '[name]-[hash]',
    entryPoints: entries,
    outdir: folder,
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'silent',
    external,
  })
}

/** What the command loads beside its own files. */
export const commandNeeds = ['@evan/opus'] as const

/**
 * The command with all that it uses, in pieces that are loaded when a command needs them. `@evan/opus` stays a package:
 * it reads files of its own.
 */
export async function bundleCommand(folder: string): Promise<Metafile> {
  const { metafile } = await build({
    ...shared,
    entryPoints: [{ in: 'cli/src/main.ts', out: 'svc' }],
    outdir: folder,
    format: 'esm',
    splitting: true,
    chunkNames: '[name]-[hash]',
    banner: {
      // packages inside that are CommonJS load Node's own modules with it
      js: `import { createRequire as requireFor } from 'node:module'\nconst require = requireFor(import.meta.url)`,
    },
    external: [...commandNeeds.flatMap((name) => [name, `${name}/*`]), 'bufferutil', 'utf-8-validate'],
  })
  return metafile
}

/** The licences of the packages that a bundle holds, which all allow that. */
export function notices({ inputs }: Metafile): string {
  const folders = new Set(Object.keys(inputs).flatMap((file) => packageAround(file) ?? []))
  const parts = [...folders].toSorted().map((folder) => {
    const { name, version, license } = JSON.parse(
      readFileSync(join(root, folder, 'package.json'), 'utf8'),
    ) as {
      name: string
      version: string
      license?: string
    }
    if (license === undefined || /GPL|MPL/.test(license))
      throw new Error(`${name} is under ${license ?? 'no licence that it names'}, and may not be in a bundle`)
    const file = readdirSync(join(root, folder)).find((each) => /^licen[cs]e/i.test(each))
    const text = file === undefined ? '' : readFileSync(join(root, folder, file), 'utf8').trim()
    return `${name} ${version} (${license})\n\n${text || 'Its package holds no text of the licence.'}\n`
  })
  return `This package contains parts of the packages below, each under its own licence.\n\n${parts.join(`\n${'-'.repeat(80)}\n\n`)}`
}

/** The folder of the package that a file belongs to; undefined for files of the checkout. */
function packageAround(file: string): string | undefined {
  const parts = file.split('/')
  for (let at = parts.lastIndexOf('node_modules'); at >= 0; at = parts.lastIndexOf('node_modules', at - 1)) {
    const folder = parts.slice(0, at + (parts[at + 1]?.startsWith('@') ? 3 : 2)).join('/')
    if (existsSync(join(root, folder, 'package.json'))) return folder
    if (at === 0) break
  }
  return undefined
}
