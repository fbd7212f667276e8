import { silent } from './failures.ts'
import type { Thought, ToolCall } from './vendor.ts'

/** What a model gave until it ended its answer. */
export interface EndedAnswer {
  /** Whether it said a word. */
  hasSpoken: boolean
  hasThought: boolean
  /** Whether the answer ended because it was as long as it may be. */
  isCut: boolean
  /** With their arguments as far as they came. */
  calls: readonly ToolCall[]
  usage?: Thought | undefined
}

/** What comes after the words of an answer. Throws before the first of it if the answer is none. */
export function* endOfAnswer({
  hasSpoken,
  hasThought,
  isCut,
  calls,
  usage,
}: EndedAnswer): Generator<Thought, void> {
  if (isCut && calls.length > 0)
    throw silent('its answer was cut in the middle of a call: raise its token limit')
  const whole = calls.map(wholeCall)
  if (!hasSpoken && whole.length === 0 && (hasThought || isCut))
    throw silent('it thought and then said nothing: raise its token limit or let it think less')
  if (usage) yield usage
  yield* whole
}

/** What some vendors write of a call without arguments. */
const noArguments = new Set(['', 'null'])

function wholeCall({ id, name, arguments: given }: ToolCall): Thought {
  const whole = noArguments.has(given.trim()) ? '{}' : given.trim()
  if (!isObject(whole)) throw silent(`it sent a call of ${name} that is not JSON`)
  return { type: 'call', id, name, arguments: whole }
}

function isObject(json: string): boolean {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
