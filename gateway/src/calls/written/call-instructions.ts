import type { Instructions } from '@switchroom/session/parts'
import type { Config } from '@switchroom/contract/settings'
import { lexiconUnder } from '../../agents/apps/declaration.ts'
import type { Offer } from '../../agents/apps/register-frame.ts'
import { secondMs } from '../../foundation/clock.ts'
import type { ResolvedSettings } from '../records/records.ts'
import { configRun } from '../resolution/resolved-config.ts'
import { layersOf } from './call-models.ts'

/** What an agent is told of itself for one turn: its settings as the call runs them, and what its app brings. */
export function instructionsOf(
  resolution: ResolvedSettings,
  offer: Offer,
  facts: Instructions['facts'],
): Instructions {
  const config = configRun(layersOf(resolution))
  return {
    prompt: offer.prompt ?? null,
    knowledge: config.knowledge ?? null,
    lexicon: lexiconUnder(resolution.declaration, resolution.lexicon ?? undefined),
    language: config.language ?? null,
    greeting: config.greeting ?? null,
    hangup: config.hangup ?? null,
    memory: memoryOf(config.memory),
    facts,
    tools: offer.tools,
    llmTimeoutMs: (config.llm_timeout_s ?? 0) * secondMs,
  }
}

function memoryOf(memory: Config['memory']): Instructions['memory'] {
  if (!memory) return null
  return { remember: listOf(memory.remember), forget: listOf(memory.forget) }
}

const listOf = (said: string | string[] | undefined): string[] => (said === undefined ? [] : [said].flat())
