import type { Setting } from './vendor.ts'

/** A keyword as text; undefined for one that is not set, or is no scalar. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined
}

/** Those of a class's keywords that one of its wires knows: most vendors refuse what they do not know. */
export function keywordsAmong(
  keywords: Setting['keywords'],
  names: readonly string[],
): Record<string, unknown> {
  return Object.fromEntries(
    names.flatMap((name) => (keywords[name] === undefined ? [] : [[name, keywords[name]]])),
  )
}
