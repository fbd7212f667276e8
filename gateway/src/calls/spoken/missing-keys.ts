import type { Stage } from '@switchroom/contract/stages'
import { conflict } from '../../foundation/refusals.ts'

/** A stage of an agent that no key of the org or of the platform runs. */
export interface MissingKey {
  stage: Stage
  vendor: string
}

const listOf = (missing: readonly MissingKey[]) =>
  missing.map(({ stage, vendor }) => `${vendor} (${stage})`).join(' and ')

/** What an app reads when it registers such an agent; a chat needs the model alone. */
export function warningOf(missing: readonly MissingKey[]): string {
  const calls = missing.some(({ stage }) => stage === 'llm') ? 'call' : 'spoken call'
  return `no ${calls} reaches this agent: there is no key for ${listOf(missing)}; add one, or choose another vendor`
}

export const keyless = (agent: string, missing: readonly MissingKey[]) =>
  conflict(`${agent} has no key for ${listOf(missing)}: add one, or choose another vendor`)
