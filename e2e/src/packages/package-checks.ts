import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { formatMessage } from 'publint/utils'
import { publint } from 'publint'
import { root } from '../launch.ts'
import type { Tarball } from '@switchroom/tools/packages/tarballs'

/** What publint says about the folder that was packed. */
export async function publintFindings({ file, folder }: Tarball): Promise<string[]> {
  const { messages, pkg } = await publint({
    pkgDir: join(dirname(file), folder),
    strict: true,
    level: 'suggestion',
  })
  return messages.map((message) => formatMessage(message, pkg) ?? message.code)
}

/** What @arethetypeswrong/cli says about the tarball; empty if it finds nothing. */
export function typeFindings(
  { file }: Tarball,
  profile: 'strict' | 'esm-only',
  entries: string[] = [],
): string {
  const attw = join(root, 'node_modules', '@arethetypeswrong', 'cli', 'dist', 'index.js')
  const which = entries.length > 0 ? ['--entrypoints', ...entries] : []
  const args = [attw, file, '--profile', profile, '--no-emoji', '--no-color', '--format', 'ascii', ...which]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  return status === 0 ? '' : `${stdout}${stderr}`
}

/** The text of every file of a tarball, by its path inside. */
export function textsOf({ file, folder, files }: Tarball): [path: string, text: string][] {
  const staged = join(dirname(file), folder)
  return files
    .filter((path) => !path.endsWith('.wav'))
    .map((path) => [path, readFileSync(join(staged, path), 'utf8')])
}

/** The package.json inside a tarball. */
export const manifestIn = ({ file }: Tarball) =>
  JSON.parse(execFileSync('tar', ['-xzOf', file, 'package/package.json'], { encoding: 'utf8' })) as Record<
    string,
    unknown
  >
