import type { HandedStage, HandedVendor, WorkerConfig, WorkerKeys } from '@switchroom/contract/calls'
import type { Options } from '@switchroom/contract/settings'
import type { Stage } from '@switchroom/contract/speech'
import { refused } from '@switchroom/kit/failures'
import type { InstalledVendor, InstalledVendors, StageChoice } from '@switchroom/kit/installed'
import type { Model } from '@switchroom/kit/vendor'
import type { ModelRun } from '@switchroom/session/parts'
import type { TranscriberRun, RealtimeRun, VoiceRun } from '@switchroom/session/spoken/spoken-parts'
import type { Logger } from 'pino'

/** What a call thinks, hears and speaks with, each in the order in which it is tried. */
export interface CallStages {
  models: ModelRun[]
  transcribers: TranscriberRun[]
  voices: VoiceRun[]
  /** Where there are any, they do all three. */
  realtime: RealtimeRun[]
}

/** A call cannot be run on what its agent is set to; the sentence says why. */
export class Unrunnable extends Error {}

/** Builds the vendors of a call from what the gateway says it runs on. */
export async function buildStages(
  vendors: InstalledVendors,
  told: WorkerConfig,
  keys: WorkerKeys,
  logger: Logger,
): Promise<CallStages> {
  const { llm, stt, tts } = told.stages
  const thinking = chainOf(keys.stages.llm)
  const isRealtime = (run: HandedVendor) =>
    vendors.doing('llm', run.vendor)?.isRealtime(choiceOf(run, llm, {})) === true
  const models = modelsOf(
    vendors,
    llm,
    thinking.filter((run) => !isRealtime(run)),
  )
  if (!stt || !tts || !keys.stages.stt || !keys.stages.tts) {
    const realtime = await realtimeOf(vendors, told, thinking.filter(isRealtime), logger)
    return { models, transcribers: [], voices: [], realtime }
  }
  const { language } = stt
  const { turn } = told.config
  const hearing = {
    language: language ?? undefined,
    heard: told.lexicon.heard.length > 0 ? told.lexicon.heard : undefined,
    eot_threshold: turn?.eot_threshold,
    eager_eot_threshold: turn?.eager_eot_threshold,
  }
  const transcribers = await built(
    vendors,
    'stt',
    stt,
    chainOf(keys.stages.stt),
    logger,
    async (vendor, run) => ({
      vendor: run.vendor,
      model: run.model,
      key: run.key,
      transcriber: await vendor.transcriber(choiceOf(run, stt, hearing)),
    }),
  )
  const voices = await built(vendors, 'tts', tts, chainOf(keys.stages.tts), logger, async (vendor, run) => {
    const isNamed = run.vendor === tts.vendor // another vendor has no voice of that name
    const knobs = { language: language ?? undefined, voice: (isNamed && tts.voice) || undefined }
    const voice = await vendor.voice(choiceOf(run, tts, knobs))
    return { vendor: run.vendor, model: run.model, key: run.key, voice }
  })
  return { models, transcribers, voices, realtime: [] }
}

const chainOf = ({ fallbacks, ...first }: HandedStage): (HandedVendor & { options?: Options })[] => [
  first,
  ...fallbacks,
]

/** What hears and speaks for itself: what is set for ears and voices is said to it, as far as it takes it. */
function realtimeOf(
  vendors: InstalledVendors,
  { config, lexicon, stages: { llm } }: WorkerConfig,
  chain: readonly HandedVendor[],
  logger: Logger,
): Promise<RealtimeRun[]> {
  const { heard } = lexicon
  return built(vendors, 'llm', llm, chain, logger, async (vendor, run) => {
    const knobs = {
      language: config.language,
      heard: heard.length > 0 ? heard : undefined,
      endpointing_ms: config.turn?.endpointing_ms,
      voice: run.vendor === llm.vendor ? config.voice : undefined, // another vendor has no voice of that name
    }
    const realtime = await vendor.realtime(choiceOf(run, llm, knobs))
    return { vendor: run.vendor, model: run.model, key: run.key, realtime }
  })
}

interface NamedStage {
  vendor: string
  model: string
  builds: string | null
  options: Options
}

/** Those that can be built; a vendor that is broken here is passed over like one that does not answer. */
async function built<Run>(
  vendors: InstalledVendors,
  stage: Stage,
  named: NamedStage,
  chain: readonly HandedVendor[],
  logger: Logger,
  build: (vendor: InstalledVendor, run: HandedVendor) => Promise<Run>,
): Promise<Run[]> {
  const runs: Run[] = []
  for (const run of chain) {
    try {
      runs.push(await build(vendorOf(vendors, stage, run.vendor), run))
    } catch (error) {
      logger.error({ err: error, vendor: run.vendor, stage }, 'a vendor could not be built')
    }
  }
  if (runs.length === 0) throw new Unrunnable(`no ${stage} of ${named.vendor} can be run on this worker`)
  return runs
}

/** Built when it is first asked: most fallbacks never are. */
function modelsOf(
  vendors: InstalledVendors,
  llm: WorkerConfig['stages']['llm'],
  chain: readonly HandedVendor[],
): ModelRun[] {
  return chain.map((run) => {
    const { vendor, model, key } = run
    const build = async () => {
      const installed = vendorOf(vendors, 'llm', vendor)
      const range = installed.manifest?.stages.llm?.temperature
      const { temperature } = llm
      const isTaken = temperature !== null && range && temperature >= range[0] && temperature <= range[1]
      return installed.model(choiceOf(run, llm, isTaken ? { temperature } : {}))
    }
    return { vendor, model, key, think: thinkingOf(build) }
  })
}

function thinkingOf(build: () => Promise<Model>): Model['think'] {
  let building: Promise<Model> | undefined
  return async function* think(conversation, signal) {
    building ??= build()
    yield* (await building).think(conversation, signal)
  }
}

function vendorOf(vendors: InstalledVendors, stage: Stage, name: string): InstalledVendor {
  const vendor = vendors.doing(stage, name)
  if (!vendor) throw refused(`${name} is not installed on this worker`)
  return vendor
}

/** What was set for the stage is meant for the vendor it names, and not for those that stand in. */
function choiceOf(
  { vendor, model, credentials, options = {} }: HandedVendor & { options?: Options },
  named: NamedStage,
  knobs: Record<string, unknown>,
): StageChoice {
  const isNamed = vendor === named.vendor && model === named.model
  return {
    model,
    builds: (isNamed && named.builds) || undefined,
    options: isNamed ? named.options : options,
    knobs,
    credentials,
  }
}
