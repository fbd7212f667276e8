/** An answer that no route documents. */
export interface Finding {
  operation: string
  /** What ran at the same moment. */
  among: readonly string[]
  /** What each of them was answered. */
  said: readonly string[]
}

export const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

export const sentenceOf = ({ operation, among, said }: Finding) =>
  [`${operation} failed:`, ...among.map((one, at) => `  ${one}: ${said[at]}`)].join('\n')
