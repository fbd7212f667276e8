import { knobTable } from '@switchroom/contract/knobs'
import type { Options, Config, Lexicon } from '@switchroom/contract/settings'
import type { StageKey } from '@switchroom/contract/calls'
import { refused } from '@switchroom/kit/failures'
import type { InstalledVendors } from '@switchroom/kit/installed'
import type { Credentials, Model } from '@switchroom/kit/vendor'
import { greetingFor } from '../greeting.ts'
import type { Instructions, ModelRun, TurnParts } from '../parts.ts'

const secondMs = 1000

/** What a written and a spoken call are both set up from. */
export interface CallSettings {
  /** Every knob as the call runs it, the defaults included. */
  config: Config
  lexicon: Lexicon
  /** What the app that drives the call brings. */
  prompt: string | null
  tools: Instructions['tools']
  /** What is remembered of the contact. */
  facts: Instructions['facts']
  /** Of the call; default: none. */
  metadata?: Instructions['metadata']
  /** In the order in which they are tried. */
  models: readonly ChosenModel[]
}

/** A model of a call's chain with the credentials that it runs on; null if no key runs it. */
export interface ChosenModel {
  vendor: string
  model: string
  key: StageKey
  builds: string | null
  options: Options
  credentials: Credentials | null
}

/** Sets up a call's instructions, memory, deadline and models, the same for written and spoken calls. */
export function callSetup(
  vendors: InstalledVendors,
  settings: CallSettings,
): Pick<TurnParts, 'instructions' | 'models'> {
  return { instructions: instructionsOf(settings), models: modelRuns(vendors, settings) }
}

/** Of a call's chain, each built when it is first needed: most fallbacks never are. */
export function modelRuns(
  vendors: InstalledVendors,
  { config: { temperature }, models }: Pick<CallSettings, 'config' | 'models'>,
): ModelRun[] {
  return models.map((chosen) => modelRun(vendors, chosen, temperature))
}

export function instructionsOf({
  config,
  lexicon,
  prompt,
  tools,
  facts,
  metadata = {},
}: Omit<CallSettings, 'models'>): Instructions {
  return {
    prompt,
    knowledge: config.knowledge ?? null,
    lexicon,
    language: config.language ?? null,
    greeting: greetingFor(config.greeting, metadata),
    hangup: config.hangup ?? null,
    memory: memoryOf(config.memory),
    facts,
    tools,
    metadata,
    llmTimeoutMs: (config.llm_timeout_s ?? knobTable.llm_timeout_s.default.value) * secondMs,
  }
}

function memoryOf(memory: Config['memory']): Instructions['memory'] {
  return memory ? { remember: listOf(memory.remember), forget: listOf(memory.forget) } : null
}

const listOf = (given: string | string[] | undefined): string[] => (given === undefined ? [] : [given].flat())

function modelRun(vendors: InstalledVendors, chosen: ChosenModel, temperature: number | undefined): ModelRun {
  let building: Promise<Model> | undefined
  const built = () => (building ??= build(vendors, chosen, temperature))
  const { vendor, model, key } = chosen
  return {
    vendor,
    model,
    key,
    async *think(conversation, signal) {
      yield* (await built()).think(conversation, signal)
    },
    connect: () => built().then((ready) => ready.connect?.()),
  }
}

async function build(
  vendors: InstalledVendors,
  { vendor, model, builds, options, credentials }: ChosenModel,
  temperature: number | undefined,
): Promise<Model> {
  const installed = vendors.doing('llm', vendor)
  if (!installed) throw refused(`${vendor} is not installed`)
  if (!credentials) throw refused(`no key runs ${vendor}/${model}`)
  const range = installed.manifest?.stages.llm?.temperature
  const isTaken = temperature !== undefined && range && temperature >= range[0] && temperature <= range[1]
  const knobs = isTaken ? { temperature } : {}
  return installed.model({ model, builds: builds ?? undefined, knobs, options, credentials })
}
