import type { Setting } from './vendor.ts'

/** Those of a class's keywords that one of its wires knows: most vendors refuse what they do not know. */
export function keywordsAmong(
  keywords: Setting['keywords'],
  names: readonly string[],
): Record<string, unknown> {
  return Object.fromEntries(
    names.flatMap((name) => (keywords[name] === undefined ? [] : [[name, keywords[name]]])),
  )
}
