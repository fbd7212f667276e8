import type { HandedStage, HandedVendor, WorkerConfig, WorkerKeys } from '@switchroom/contract/calls'
import { stages, type Stage } from '@switchroom/contract/stages'
import type { InstalledVendors } from '@switchroom/kit/installed'
import { fixedBy, lexiconUnder } from '../../agents/stages/declaration.ts'
import { builtClass } from '../../agents/stages/built-class.ts'
import { whyUnspoken } from '../../agents/stages/spoken-languages.ts'
import { scopeOf, type SettingsScope } from '../../agents/scope.ts'
import type { Caller } from '../../foundation/caller.ts'
import { forbidden } from '../../foundation/refusals.ts'
import type { OwnKeys } from '../../providers/lent-keys/own-keys.ts'
import type { LentKeys, NamedOrg } from '../../providers/lent-keys/lent-keys.ts'
import type { KeySource, StageKeys } from '../../providers/lent-keys/stage-keys.ts'
import type { VendorWindow } from '../../providers/vendor-order/vendor-window.ts'
import type { CallRecords, ResolvedSettings } from '../records/records.ts'
import { configRun, layersOf, turnEnd } from '../resolution/resolved-config.ts'
import { judgeRun } from '../resolution/resolved-judge.ts'
import { stagesRun, type RunParts, type RunVendor, type StageRun } from '../resolution/resolved-stages.ts'
import { stageCredentials, stageKeyOf, type CredentialsOf } from '../resolution/stage-credentials.ts'
import { warningOf, type MissingKey } from './missing-keys.ts'

export interface WorkerParts {
  records: CallRecords
  vendors: InstalledVendors
  stageKeys: StageKeys
  lentKeys: LentKeys
  ownKeys: OwnKeys
  vendorWindow: VendorWindow
}

/** What a worker asks before it runs a call: the configuration and, separately, the keys. */
export class WorkerAnswers {
  readonly #parts: WorkerParts

  constructor(parts: WorkerParts) {
    this.#parts = parts
  }

  async config(caller: Caller, agent: string, forCall: string | null): Promise<WorkerConfig> {
    const resolution = await this.#resolve(caller, agent, forCall)
    const parts = await this.#runParts(caller, resolution)
    const { layers, vendors, row } = parts
    const { llm, stt, tts } = stagesRun(parts)
    const language = layers.get('language') ?? null
    const { call, config_version, lexicon_version, canary, declaration } = resolution
    return {
      agent,
      world: caller.env,
      call,
      config_version,
      lexicon_version,
      canary,
      fixed: fixedBy(declaration),
      config: configRun(layers),
      lexicon: lexiconUnder(declaration, resolution.lexicon),
      stages: {
        llm: { ...stageOf(llm), temperature: layers.get('temperature') ?? null },
        stt: stt && { ...stageOf(stt), language, end_of_turn: turnEnd(vendors, row, layers, stt.first) },
        tts: tts && { ...stageOf(tts), language, voice: layers.get('voice') ?? null },
      },
      judge: judgeRun(parts, resolution.judging),
    }
  }

  async providerKeys(caller: Caller, agent: string, forCall: string | null): Promise<WorkerKeys> {
    const resolution = await this.#resolve(caller, agent, forCall)
    const { llm, stt, tts } = stagesRun(await this.#runParts(caller, resolution))
    const credentialsOf = await stageCredentials(this.#parts, caller, resolution)
    const handed = {
      llm: await handedStage('llm', llm, caller, credentialsOf),
      stt: stt && (await handedStage('stt', stt, caller, credentialsOf)),
      tts: tts && (await handedStage('tts', tts, caller, credentialsOf)),
    }
    if (forCall !== null)
      for (const stage of [llm, stt, tts])
        if (stage?.isDefault) this.#countHanded(caller, stage.first, forCall)
    return { agent, call: forCall, stages: handed }
  }

  /** The stages that no key would run in a spoken call of the agent; a realtime model hears and speaks itself. */
  async missingKeys(org: NamedOrg, scope: SettingsScope): Promise<MissingKey[]> {
    return this.missingUnder(org, await this.#parts.records.resolve(scope, null, 'web'))
  }

  /** What keeps the agent from calls, or from understanding them, one sentence each. */
  async warnings(org: NamedOrg, scope: SettingsScope): Promise<string[]> {
    const resolution = await this.#parts.records.resolve(scope, null, 'web')
    const missing = await this.missingUnder(org, resolution)
    const parts = await this.#runParts({ ...org, kind: 'fleet' }, resolution)
    return [...(missing.length > 0 ? [warningOf(missing)] : []), ...unspoken(parts)]
  }

  /** The same for settings that were already read. */
  async missingUnder(org: NamedOrg, resolution: ResolvedSettings): Promise<MissingKey[]> {
    const run = stagesRun(await this.#runParts({ ...org, kind: 'fleet' }, resolution))
    return stages.flatMap((stage) => {
      const first = run[stage]?.first
      return first?.source === 'missing' ? [{ stage, vendor: first.vendor }] : []
    })
  }

  /** An org's key counts for that org's vendor order only: a bad key says nothing about a vendor. */
  #countHanded({ kind, org }: Caller, { vendor, source }: RunVendor, call: string) {
    const isPlatforms = kind === 'fleet' && source !== 'own'
    this.#parts.vendorWindow.handed(vendor, call, isPlatforms ? undefined : org)
  }

  #resolve(caller: Caller, agent: string, forCall: string | null): Promise<ResolvedSettings> {
    return this.#parts.records.resolve(scopeOf(caller, agent), forCall, 'web')
  }

  async #runParts(
    caller: Pick<Caller, 'org' | 'slug' | 'env' | 'kind'>,
    resolution: ResolvedSettings,
  ): Promise<RunParts> {
    const { row, own } = resolution
    const { vendors, stageKeys, vendorWindow } = this.#parts
    return {
      vendors,
      row,
      layers: layersOf(resolution),
      sourceOf: await stageKeys.sourcesUnder(row, caller, own),
      isHanded: (source) => isHandedTo(caller, source),
      ordered: (chain) => vendorWindow.ordered(chain, caller.org),
    }
  }
}

/** What hears or speaks for the agent and does not know its language. */
function unspoken(parts: RunParts): string[] {
  const run = stagesRun(parts)
  return (['stt', 'tts'] as const).flatMap((stage) => {
    const first = run[stage]?.first
    const built = first && builtClass(parts.vendors, stage, first, first.builds)
    return (built && whyUnspoken(stage, built, parts.layers)) ?? []
  })
}

async function handedStage(
  stage: Stage,
  run: StageRun,
  caller: Caller,
  credentialsOf: CredentialsOf,
): Promise<HandedStage> {
  const keyless = () => forbidden(`${stage}: the org brought no key for ${run.named.vendor}`)
  if (!isHandedTo(caller, run.named.source)) throw keyless()
  const chain = [run.first, ...run.fallbacks]
  const handed = await Promise.all(chain.map((vendor) => withKey(stage, vendor, credentialsOf)))
  const [first, ...rest] = handed.filter((vendor) => vendor !== undefined)
  if (!first) throw keyless() // deleted since it was read
  const fallbacks = rest.map((vendor) => ({ ...vendor, ...optionsOf(vendor, run.fallbacks) }))
  return { ...first, fallbacks }
}

async function withKey(
  stage: Stage,
  run: RunVendor,
  credentialsOf: CredentialsOf,
): Promise<HandedVendor | undefined> {
  const credentials = await credentialsOf(stage, run)
  const { vendor, model, source } = run
  return credentials && { vendor, model, key: stageKeyOf[source], credentials }
}

/** An org's worker gets the org's own keys only, never lent ones. */
const isHandedTo = ({ kind }: Pick<Caller, 'kind'>, source: KeySource) =>
  source === 'own' || source === 'unneeded' || (source === 'lent' && kind !== 'server')

/** The options of a fallback vendor; those of the first are in the configuration. */
function optionsOf({ vendor, model }: HandedVendor, runs: readonly RunVendor[]) {
  const options = runs.find((run) => run.vendor === vendor && run.model === model)?.options ?? {}
  return Object.keys(options).length > 0 ? { options } : {}
}

const stageOf = ({ first: { source, ...run } }: StageRun) => ({ ...run, key: stageKeyOf[source] })
