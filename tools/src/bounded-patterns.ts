/** An expression that is not linear, where it is, and what bounds the text it reads. */
export interface BoundedPattern {
  file: string
  pattern: string
  reason: string
}

/** Each is quadratic at worst; what it reads is cut first. */
export const boundedPatterns: readonly BoundedPattern[] = [
  {
    file: 'vendors/local-voice/src/pieces.ts',
    pattern: String.raw`/(?:(?<=[\p{L}\p{N}]{4})\.|(?<=[\p{N}\p{P}])\.(?=\s+\p{Lu})|[!?…]+)["'”’»)\]]*(?=\s)|[。！？]+|\n\s*\n/gu`,
    reason: 'reads the next 120 characters of a text',
  },
  {
    file: 'vendors/local-voice/src/pieces.ts',
    pattern: String.raw`/\n\s*\n$/u`,
    reason: 'reads a piece of at most 121 characters',
  },
]
