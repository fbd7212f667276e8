import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Found beside a package's entry: what a package does not export cannot be resolved by name. */
export const besideEntryOf = (packageName: string, path: string) =>
  fileURLToPath(new URL(path, import.meta.resolve(packageName)))

/** The bytes that were checked are the bytes that run. */
export async function checkedWeights(path: string, sha256: string): Promise<Uint8Array> {
  const bytes = await readFile(path)
  const found = createHash('sha256').update(bytes).digest('hex')
  if (found !== sha256)
    throw new Error(
      `${basename(path)} is not the file that local hears with: its SHA-256 begins ${found.slice(0, 12)}, not ${sha256.slice(0, 12)}; install the packages again`,
    )
  return bytes
}
