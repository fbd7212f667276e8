import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../test-files.ts'
import { packedFolders, type PackedFolder } from './packed-packages.ts'
import { stagePackages } from './staged.ts'

export interface Tarball {
  folder: PackedFolder
  name: string
  version: string
  /** The whole path. */
  file: string
  bytes: number
  /** Every file inside. */
  files: string[]
}

interface Packed {
  name: string
  version: string
  filename: string
  size: number
  files: { path: string }[]
}

export const usualPlace = join(root, 'build', 'packages')

/** Builds the packages and packs each as npm publishes it. */
export async function packPackages(work = usualPlace): Promise<Tarball[]> {
  rmSync(work, { recursive: true, force: true })
  const staged = await stagePackages(work)
  return packedFolders.map((folder) => packed(work, folder, staged[folder]))
}

function packed(work: string, folder: PackedFolder, staged: string): Tarball {
  const args = ['pack', staged, '--pack-destination', work, '--json', '--ignore-scripts', '--loglevel=error']
  const [made] = JSON.parse(execFileSync('npm', args, { cwd: work, encoding: 'utf8' })) as Packed[]
  if (!made) throw new Error(`npm packed nothing of ${staged}`)
  const { name, version, filename, size, files } = made
  return {
    folder,
    name,
    version,
    file: join(work, filename),
    bytes: size,
    files: files.map(({ path }) => path),
  }
}
