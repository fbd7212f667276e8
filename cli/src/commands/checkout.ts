import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where this program was taken from, with everything beside it. */
export const checkout = fileURLToPath(new URL('../../..', import.meta.url))

interface Manifest {
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
}

export const manifestOfCheckout = () =>
  JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as Manifest
