/** The words that a model is to expect: newer models take them as a list, the others in a prompt. */
export function hintsOf(model: string, prompt: unknown): { keywords?: string[]; prompt?: string } {
  const words = [(prompt ?? []) as string | string[]].flat()
  if (words.length === 0) return {}
  return takesKeywords(model) ? { keywords: words } : { prompt: words.join(', ') }
}

const takesKeywords = (model: string) => /^gpt-(?:live-)?transcribe/.test(model)
