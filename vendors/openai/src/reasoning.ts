/**
 * How much a model thinks before it speaks, unless an agent sets `reasoning_effort`: as little as the model accepts,
 * because a caller waits. Undefined for models that do not reason, and for those that take one effort only.
 */
export function usualEffort(model: string): 'none' | 'minimal' | 'low' | undefined {
  if (/-pro\b|^gpt-[34]|-chat\b/.test(model)) return undefined
  if (/^(?:o\d|gpt-6-astra|gpt-6\.1-sol)/.test(model)) return 'low'
  if (/^gpt-5(?:-|$)/.test(model)) return 'minimal'
  return /^gpt-\d/.test(model) ? 'none' : undefined
}
