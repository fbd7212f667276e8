import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The checkout that this program belongs to. */
export const checkout = fileURLToPath(new URL('../../..', import.meta.url))

interface Manifest {
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
}

export const manifestOfCheckout = () =>
  JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as Manifest
