import type { ProviderRow } from '@switchroom/contract/providers'
import { knobs, type Knob } from '@switchroom/contract/knobs'
import type { Config, Options } from '@switchroom/contract/settings'
import type { InstalledVendors } from '@switchroom/kit/installed'
import { badRequest, Refusal } from '../../foundation/refusals.ts'
import { isOperatorsName } from '../../providers/keys/credential-rules.ts'
import type { StageKnob, VendorModel } from '../../providers/parsing/stage-parsing.ts'
import { whyNoPlugin } from '../../providers/parsing/vendor-refusals.ts'
import { whyMisshapen } from '../knobs/knob-checks.ts'
import { builtClass, type BuiltClass } from '../stages/built-class.ts'
import { whyUnspoken } from '../stages/spoken-languages.ts'
import type { Layers } from '../stages/layers.ts'
import type { StageReading } from '../stages/stages.ts'
import { canEndTurn } from '../stages/turn-ends.ts'

/** What a set is read with: the layers it would be the nearest scope of, and the platform's row under them. */
export interface BuildParts {
  vendors: InstalledVendors
  row: ProviderRow
  layers: Layers
  reading: StageReading
  /** The org's own choice of a judge. */
  orgJudge: string | null
}

/** Refuses a set that no call could be built from: knob by knob, in the order of the table. */
export function refuseUnbuildable(config: Config, judged: readonly Knob[], parts: BuildParts) {
  for (const knob of judged) {
    if (!Object.hasOwn(config, knob)) continue
    const vendorsFault = parts.layers.isDeclared(knob) ? undefined : vendorsFaults[knob] // the class's value runs
    const why = whyMisshapen(knob, config[knob]) ?? vendorsFault?.(config, parts)
    if (why !== undefined) throw badRequest(why)
  }
  const unknown = Object.keys(config).find((name) => !(knobs as readonly string[]).includes(name))
  if (unknown !== undefined)
    throw badRequest(`\`${unknown}\` is no knob of an agent: they are ${knobs.join(', ')}`)
}

type VendorsFault = (config: Config, parts: BuildParts) => string | undefined

const vendorsFaults: Partial<Record<Knob, VendorsFault>> = {
  voice: (_config, parts) => whyUntaken('tts', 'voice', parts) ?? whyNotSpokenBy('tts', parts),
  tts: ({ tts = '' }, parts) =>
    tts.includes('/')
      ? '`tts` names a vendor alone: its model goes into `tts_model`'
      : (whyNoPlugin(parts.vendors, 'tts', tts) ?? whyNotSpokenBy('tts', parts)),
  tts_model: (_config, parts) => whyUntaken('tts', 'tts_model', parts) ?? whyNotSpokenBy('tts', parts),
  stt: (_config, parts) =>
    whyUnread(() => parts.reading.stage('stt', parts.layers)) ?? whyNotSpokenBy('stt', parts),
  llm: (_config, { reading, layers }) => whyUnread(() => reading.stage('llm', layers)),
  judge: (_config, { reading, layers, orgJudge }) => whyUnread(() => reading.judge(layers, orgJudge)),
  language: (_config, parts) => whyNotSpoken(parts),
  temperature: whyTooHot,
  end_of_turn: whyCannotEndTurn,
  llm_builds: (config, parts) => whyNoClass('llm', config.llm_builds, parts),
  stt_builds: (config, parts) => whyNoClass('stt', config.stt_builds, parts),
  tts_builds: (config, parts) => whyNoClass('tts', config.tts_builds, parts),
  judge_builds: (config, parts) => whyNoClass('judge', config.judge_builds, parts),
  llm_options: (config, parts) => whyNotTaken('llm', config.llm_options, parts),
  stt_options: (config, parts) => whyNotTaken('stt', config.stt_options, parts),
  tts_options: (config, parts) => whyNotTaken('tts', config.tts_options, parts),
  judge_options: (config, parts) => whyNotTaken('judge', config.judge_options, parts),
  turn: ({ turn }, parts) =>
    (['eot_threshold', 'eager_eot_threshold'] as const)
      .filter((name) => turn?.[name] !== undefined)
      .map((name) => whyUntaken('stt', name, parts))
      .find((why) => why !== undefined),
}

/** What this stage would be built of; undefined while a knob that says so is refused in its own turn. */
function classOf(
  knob: StageKnob,
  { vendors, layers, reading, orgJudge }: BuildParts,
): BuiltClass | undefined {
  try {
    const run: VendorModel = knob === 'judge' ? reading.judge(layers, orgJudge) : reading.stage(knob, layers)
    return builtClass(vendors, knob, run, layers.get(`${knob}_builds`) ?? null)
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

function whyUnread(read: () => unknown): string | undefined {
  try {
    read()
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }
}

function whyUntaken(stage: 'stt' | 'tts', knob: string, parts: BuildParts): string | undefined {
  const built = classOf(stage, parts)
  return !built || built.knobs[knob] ? undefined : `${built.vendor} takes no ${knob}`
}

/**
 * What an agent names to hear or speak with has to know its language. The platform's own choice is not held
 * against an agent, which may be one that only chats; a realtime model hears and speaks itself.
 */
const whyNotSpoken = (parts: BuildParts) => whyNotSpokenBy('stt', parts) ?? whyNotSpokenBy('tts', parts)

function whyNotSpokenBy(stage: 'stt' | 'tts', parts: BuildParts): string | undefined {
  const built = classOf('llm', parts)?.isRealtime ? undefined : classOf(stage, parts)
  if (!built || !parts.reading.stage(stage, parts.layers).isPinned) return undefined
  const why = whyUnspoken(stage, built, parts.layers)
  return why === undefined ? undefined : `\`language\`: ${why}`
}

function whyTooHot({ temperature = 0 }: Config, parts: BuildParts): string | undefined {
  const built = classOf('llm', parts)
  if (!built) return undefined
  const range = built.manifest.temperature
  if (!range) return `\`temperature\`: ${built.vendor} takes none`
  const [least, most] = range
  return temperature >= least && temperature <= most
    ? undefined
    : `\`temperature\` ${temperature} is outside ${least} to ${most} of ${built.vendor}`
}

function whyCannotEndTurn({ end_of_turn }: Config, parts: BuildParts): string | undefined {
  const transcriber = end_of_turn === 'stt' ? classOf('stt', parts) : undefined
  if (!transcriber || canEndTurn(parts.vendors, parts.row, transcriber)) return undefined
  return `\`end_of_turn\`: ${transcriber.vendor} cannot end a turn`
}

function whyNoClass(knob: StageKnob, builds: string | undefined, parts: BuildParts): string | undefined {
  const { layers, reading, vendors, orgJudge } = parts
  const why = whyUnread(() =>
    knob === 'judge' ? reading.judge(layers, orgJudge) : reading.stage(knob, layers),
  )
  if (why !== undefined || builds === undefined) return undefined // the knob that names the vendor says it
  const run = knob === 'judge' ? reading.judge(layers, orgJudge) : reading.stage(knob, layers)
  return builtClass(vendors, knob, run, builds)
    ? undefined
    : `\`${knob}_builds\`: ${run.vendor} has no class ${builds}`
}

function whyNotTaken(knob: StageKnob, options: Options | undefined, parts: BuildParts): string | undefined {
  const built = classOf(knob, parts)
  if (!built) return undefined
  return Object.entries(options ?? {})
    .map(([name, value]) => whyOptionNotTaken(knob, built, name, value))
    .find((why) => why !== undefined)
}

function whyOptionNotTaken(
  knob: StageKnob,
  built: BuiltClass,
  name: string,
  value: unknown,
): string | undefined {
  const place = `\`${knob}_options\``
  if (built.credentials.includes(name))
    return `${place}: ${name} is a secret, and people read settings: bring it as the org's key for ${built.vendor}`
  if (knob === 'judge' && name === 'base_url') return whyNoAddress(place, value)
  if (isOperatorsName(name)) return `${place}: ${name} is the operator's to set`
  const own = Object.entries(built.knobs).find(([, keyword]) => keyword === name)?.[0]
  if (own !== undefined) return `${place}: ${name} is set by the knob \`${own}\``
  return built.takes.includes(name) ? undefined : `${built.name} of ${built.vendor} takes no ${name}`
}

function whyNoAddress(place: string, value: unknown): string | undefined {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined
  const isFit = url && ['http:', 'https:'].includes(url.protocol) && !url.username && !url.password
  return isFit ? undefined : `${place}: base_url is an http or https address without a user`
}
