import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { refused } from '@switchroom/kit/failures'

/** The file of a program that an optional package brings. */
export function entryOf(specifier: string, what: string): string {
  const [scope, name] = specifier.split('/')
  const missing = refused(`the package ${scope}/${name} brings ${what}, and it is not installed`)
  try {
    const path = fileURLToPath(import.meta.resolve(specifier))
    if (existsSync(path)) return path
  } catch {
    throw missing
  }
  throw missing
}
