import { fillTemplate } from '@switchroom/contract/metadata-templates'
import type { Greeting } from '@switchroom/contract/settings'

/** With the values of the call; null if nothing is left to say. */
export function greetingFor(
  greeting: Greeting | undefined,
  metadata: Readonly<Record<string, unknown>>,
): Greeting | null {
  if (!greeting) return null
  const { say, reply, ...rest } = greeting
  if (say === undefined)
    return { ...rest, ...(reply !== undefined && { reply: fillTemplate(reply, metadata) }) }
  const filled = fillTemplate(say, metadata)
  return filled.trim() === '' ? null : { ...rest, say: filled }
}
