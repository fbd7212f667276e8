import type { WorkerConfig } from '@switchroom/contract/calls'
import type { Config } from '@switchroom/contract/settings'
import type { CallInstructions } from '@switchroom/contract/worker'
import type { InstalledVendors } from '@switchroom/kit/installed'
import type { Instructions } from '@switchroom/session/parts'
import type { SpokenParts } from '@switchroom/session/spoken/spoken-parts'
import type { SwappedParts } from '@switchroom/session/spoken/spoken-session'
import type { Logger } from 'pino'
import type { CallLog } from './call-log.ts'
import { buildStages } from './call-stages.ts'
import type { GatewayClient } from '../gateway-client.ts'

const secondMs = 1000

export interface PartsSources {
  gateway: GatewayClient
  vendors: InstalledVendors
  logger: Logger
  log: CallLog
}

export type AgentParts = SwappedParts & Pick<SpokenParts, 'contact'>

/** Who answers a call and with what: what another agent changes when a line hands the call over to it. */
export async function agentParts(
  { gateway, vendors, logger, log }: PartsSources,
  call: string,
  agent: string,
): Promise<AgentParts> {
  const [told, keys, brought] = await Promise.all([
    gateway.config(agent, call),
    gateway.providerKeys(agent, call),
    gateway.instructions(call),
  ])
  return {
    ...(await buildStages(vendors, told, keys, logger)),
    instructions: instructionsOf(told, brought),
    config: told.config,
    contact: brought.contact,
    endOfTurn: told.stages.stt?.end_of_turn ?? 'framework',
    sendsAudioMetrics: brought.send_audio_metrics,
    prepare: async (generation) => (await gateway.prepare(call, generation)).set,
    runTools: async (msgId, calls) => {
      await log.flushed() // what was said before the model asked stands before its question
      return (await gateway.runTools(call, { msgId, calls: [...calls] })).outcomes
    },
  }
}

function instructionsOf({ config, lexicon }: WorkerConfig, brought: CallInstructions): Instructions {
  return {
    prompt: brought.prompt,
    knowledge: config.knowledge ?? null,
    lexicon,
    language: config.language ?? null,
    greeting: config.greeting ?? null,
    hangup: config.hangup ?? null,
    memory: memoryOf(config.memory),
    facts: brought.facts,
    tools: brought.tools,
    llmTimeoutMs: (config.llm_timeout_s ?? 0) * secondMs,
  }
}

function memoryOf(memory: Config['memory']): Instructions['memory'] {
  if (!memory) return null
  return { remember: listOf(memory.remember), forget: listOf(memory.forget) }
}

const listOf = (said: string | string[] | undefined): string[] => (said === undefined ? [] : [said].flat())
