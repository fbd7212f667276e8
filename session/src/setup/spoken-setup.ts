import type { HandedStage, HandedVendor, WorkerConfig, WorkerKeys } from '@switchroom/contract/calls'
import { knobTable } from '@switchroom/contract/knobs'
import type { Options } from '@switchroom/contract/settings'
import type { Stage } from '@switchroom/contract/stages'
import type { CallInstructions } from '@switchroom/contract/worker'
import { refused } from '@switchroom/kit/failures'
import type { InstalledVendor, InstalledVendors, StageChoice } from '@switchroom/kit/installed'
import { CallKnowledge } from '../knowledge/call-knowledge.ts'
import type { SearchBase } from '../knowledge/look-up.ts'
import type { TranscriberRun, RealtimeRun, SpokenParts, VoiceRun } from '../spoken/spoken-parts.ts'
import { connectAhead } from '../spoken/connecting-ahead.ts'
import { instructionsOf, modelRuns, type ChosenModel } from './call-setup.ts'

/** What a call's settings, keys and app decide about it. */
export type SpokenSetup = Pick<
  SpokenParts,
  | 'instructions'
  | 'config'
  | 'contact'
  | 'endOfTurn'
  | 'models'
  | 'transcribers'
  | 'voices'
  | 'realtime'
  | 'sendsAudioMetrics'
  | 'knowledge'
>

export interface SpokenSetupParts {
  vendors: InstalledVendors
  settings: WorkerConfig
  keys: WorkerKeys
  /** What the app brings, which it may take a while to say. */
  app: CallInstructions | Promise<CallInstructions>
  /** In the bases that the app's answer names. */
  search: SearchBase
  onBrokenVendor: (error: unknown, stage: Stage, vendor: string) => void
}

/** No installed vendor can run a stage of the call; the message says which. */
export class Unrunnable extends Error {}

/** Sets up a spoken call from what the gateway hands a worker, and connects to its vendors meanwhile. */
export async function spokenSetup(parts: SpokenSetupParts): Promise<SpokenSetup> {
  const { vendors, settings, keys, app, search } = parts
  const { config, lexicon } = settings
  const chain = chainOf(keys.stages.llm, settings.stages.llm)
  const isRealtime = ({ vendor, model, builds }: ChosenModel) =>
    vendors.doing('llm', vendor)?.isRealtime({ model, builds: builds ?? undefined }) === true
  const models = modelRuns(vendors, { config, models: chain.filter((chosen) => !isRealtime(chosen)) })
  const stages = await audioStages(parts, chain.filter(isRealtime))
  connectAhead({ models, voices: stages.voices })
  const { prompt, tools, facts, contact, send_audio_metrics, bases = [], call } = await app
  return {
    instructions: instructionsOf({ config, lexicon, prompt, tools, facts, metadata: call.metadata }),
    models,
    ...stages,
    config,
    contact,
    endOfTurn: settings.stages.stt?.end_of_turn ?? knobTable.end_of_turn.default.value,
    sendsAudioMetrics: send_audio_metrics,
    knowledge:
      bases.length > 0 ? new CallKnowledge({ bases, search, nowMs: () => performance.now() }) : undefined,
  }
}

async function audioStages(
  parts: SpokenSetupParts,
  realtime: readonly ChosenVendor[],
): Promise<Pick<SpokenSetup, 'transcribers' | 'voices' | 'realtime'>> {
  const { settings, keys } = parts
  const { stt, tts } = settings.stages
  if (!stt || !tts || !keys.stages.stt || !keys.stages.tts)
    return { transcribers: [], voices: [], realtime: await realtimeRuns(parts, realtime) }
  return {
    transcribers: await transcriberRuns(parts, stt, chainOf(keys.stages.stt, stt)),
    voices: await voiceRuns(parts, tts, chainOf(keys.stages.tts, tts)),
    realtime: [],
  }
}

function transcriberRuns(
  parts: SpokenSetupParts,
  { vendor: named, language }: NonNullable<WorkerConfig['stages']['stt']>,
  chain: readonly ChosenVendor[],
): Promise<TranscriberRun[]> {
  const { turn } = parts.settings.config
  const knobs = {
    language: language ?? undefined,
    heard: heardWords(parts.settings),
    eot_threshold: turn?.eot_threshold,
    eager_eot_threshold: turn?.eager_eot_threshold,
  }
  return runsOf(parts, 'stt', named, chain, async (installed, chosen) => ({
    transcriber: await installed.transcriber(choiceOf(chosen, knobs)),
  }))
}

function voiceRuns(
  parts: SpokenSetupParts,
  { vendor: named, language, voice }: NonNullable<WorkerConfig['stages']['tts']>,
  chain: readonly ChosenVendor[],
): Promise<VoiceRun[]> {
  return runsOf(parts, 'tts', named, chain, async (installed, chosen) => {
    const isNamed = chosen.vendor === named // another vendor has no voice of that name
    const knobs = { language: language ?? undefined, voice: (isNamed && voice) || undefined }
    return { voice: await installed.voice(choiceOf(chosen, knobs)) }
  })
}

/** A realtime model takes the knobs of speech-to-text and text-to-speech as far as it knows them. */
function realtimeRuns(parts: SpokenSetupParts, chain: readonly ChosenVendor[]): Promise<RealtimeRun[]> {
  const { config, stages } = parts.settings
  const named = stages.llm.vendor
  return runsOf(parts, 'llm', named, chain, async (installed, chosen) => {
    const knobs = {
      language: config.language,
      heard: heardWords(parts.settings),
      endpointing_ms: config.turn?.endpointing_ms,
      voice: chosen.vendor === named ? config.voice : undefined, // another vendor has no voice of that name
    }
    return { realtime: await installed.realtime(choiceOf(chosen, knobs)) }
  })
}

const heardWords = ({ lexicon: { heard } }: WorkerConfig) => (heard.length > 0 ? heard : undefined)

interface NamedStage {
  vendor: string
  model: string
  builds: string | null
  options: Options
}

type ChosenVendor = HandedVendor & NamedStage

/** A stage's builds and options apply to the vendor and model it names; fallbacks bring their own options. */
function chainOf({ fallbacks, ...first }: HandedStage, named: NamedStage): ChosenVendor[] {
  const chain: (HandedVendor & { options?: Options })[] = [first, ...fallbacks]
  return chain.map((handed) => {
    const isNamed = handed.vendor === named.vendor && handed.model === named.model
    const { builds, options } = isNamed ? named : { builds: null, options: handed.options ?? {} }
    return { ...handed, builds, options }
  })
}

/** Those that can be built: a vendor that is broken on this worker is skipped like one that does not answer. */
async function runsOf<Built>(
  { vendors, onBrokenVendor }: SpokenSetupParts,
  stage: Stage,
  named: string,
  chain: readonly ChosenVendor[],
  build: (installed: InstalledVendor, chosen: ChosenVendor) => Promise<Built>,
): Promise<(Pick<HandedVendor, 'vendor' | 'model' | 'key'> & Built)[]> {
  const runs: (Pick<HandedVendor, 'vendor' | 'model' | 'key'> & Built)[] = []
  for (const chosen of chain) {
    const { vendor, model, key } = chosen
    try {
      const installed = vendors.doing(stage, vendor)
      if (!installed) throw refused(`${vendor} is not installed`)
      runs.push({ vendor, model, key, ...(await build(installed, chosen)) })
    } catch (error) {
      onBrokenVendor(error, stage, vendor)
    }
  }
  if (runs.length === 0) throw new Unrunnable(`no ${stage} of ${named} can be run on this worker`)
  return runs
}

const choiceOf = (
  { model, builds, options, credentials }: ChosenVendor,
  knobs: Record<string, unknown>,
): StageChoice => ({ model, builds: builds ?? undefined, options, knobs, credentials })
