import type { Message } from '@switchroom/kit/vendor'

/** A request must set a maximum length. No spoken answer is longer, but thinking counts too. */
const answerTokens = 4096
const thinkingTokens = 12_288

/** Deeper than these a model refuses not to think. */
const deepEfforts = new Set(['xhigh', 'max'])

/** What keeps a model of a generation from thinking at length before it speaks. */
type Calm = 'thinks only if asked' | 'can be stopped' | 'thinks only between tools' | 'always thinks'

/**
 * The settings as the model takes them. Speech is never silence: a model that thinks by default does not, or as
 * little as it accepts, unless an agent sets `thinking`; and one that refuses sampling settings gets none.
 */
export function settingsFor(keywords: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { family, version } = generationOf(String(keywords['model']))
  const { temperature, top_p, top_k, thinking, output_config: output, ...rest } = keywords
  const calm = calmOf(family, version)
  const asked = thinking ?? usualThinking(calm, effortOf(output))
  const config = calm === 'always thinks' ? { effort: 'low', ...Object(output) } : output
  return {
    max_tokens: answerTokens + thinkingTokensOf(asked, calm),
    ...rest,
    ...(asked !== undefined && { thinking: asked }),
    ...(config !== undefined && { output_config: config }),
    ...(version < 4.7 && !isOn(asked) && { temperature, top_p, top_k }),
  }
}

/**
 * Thinking of a set length is taken after a call only with the thinking that led to the call, which a conversation
 * has no place for: until the model has spoken again it does not think.
 */
export function settingsAfter(
  settings: Readonly<Record<string, unknown>>,
  messages: readonly Message[],
): Readonly<Record<string, unknown>> {
  const { thinking, ...rest } = settings
  const last = messages.findLast(({ role }) => role === 'assistant')
  const hasCalled = last?.role === 'assistant' && (last.calls?.length ?? 0) > 0
  return hasCalled && typeOf(thinking) === 'enabled' ? rest : settings
}

function calmOf(family: string, version: number): Calm {
  if (version < 5) return 'thinks only if asked'
  if (family === 'sonnet' && version >= 5.5) return 'thinks only between tools'
  const canStop = family === 'haiku' || family === 'sonnet' || (family === 'opus' && version < 5.5)
  return canStop ? 'can be stopped' : 'always thinks'
}

function usualThinking(calm: Calm, effort: unknown): object | undefined {
  if (calm === 'thinks only between tools') return { type: 'between_tools' }
  return calm === 'can be stopped' && !deepEfforts.has(String(effort)) ? { type: 'disabled' } : undefined
}

/** Thinking of a set length has as much, and every other as much as a caller waits for. */
function thinkingTokensOf(thinking: unknown, calm: Calm): number {
  const { type, budget_tokens: budget } = Object(thinking) as { type?: unknown; budget_tokens?: unknown }
  if (typeof budget === 'number') return budget
  if (type === 'disabled') return 0
  return type === undefined && calm === 'thinks only if asked' ? 0 : thinkingTokens
}

const effortOf = (output: unknown) => (Object(output) as { effort?: unknown }).effort

/** A model that takes sampling settings refuses them while it thinks. */
const isOn = (thinking: unknown) => thinking !== undefined && typeOf(thinking) !== 'disabled'

const typeOf = (thinking: unknown) => (Object(thinking) as { type?: unknown }).type

/** `claude-opus-4-8` is opus 4.8, `claude-3-5-haiku-latest` haiku 3.5; a name without a version is of the newest. */
function generationOf(model: string): { family: string; version: number } {
  const family = /opus|sonnet|haiku|fable|mythos/.exec(model)?.[0] ?? ''
  const [, major, minor = '0'] = /-(\d)(?:-(\d))?(?!\d)/.exec(model) ?? []
  return { family, version: major === undefined ? Infinity : Number(`${major}.${minor}`) }
}
