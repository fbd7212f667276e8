import type {
  HandedStage,
  HandedVendor,
  StageKey,
  WorkerConfig,
  WorkerKeys,
} from '@switchroom/contract/calls'
import type { Stage } from '@switchroom/contract/speech'
import type { InstalledVendors } from '@switchroom/kit/installed'
import { fixedBy, lexiconUnder } from '../../agents/apps/declaration.ts'
import { scopeOf, type SettingsScope } from '../../agents/scope.ts'
import { Layers } from '../../agents/stages/layers.ts'
import type { Caller } from '../../foundation/caller.ts'
import { forbidden } from '../../foundation/refusals.ts'
import type { ProviderKeys } from '../../providers/keys/provider-keys.ts'
import type { LentKeys, Lent, NamedOrg } from '../../providers/lent-keys/lent-keys.ts'
import type { KeySource, StageKeys } from '../../providers/lent-keys/stage-keys.ts'
import type { VendorWindow } from '../../providers/vendor-order/vendor-window.ts'
import type { CallRecords, ResolvedSettings } from '../records/records.ts'
import { configRun, turnEnd } from '../resolution/resolved-config.ts'
import { judgeRun } from '../resolution/resolved-judge.ts'
import { stagesRun, type RunParts, type RunVendor, type StageRun } from '../resolution/resolved-stages.ts'

export interface WorkerParts {
  records: CallRecords
  vendors: InstalledVendors
  stageKeys: StageKeys
  lentKeys: LentKeys
  providerKeys: ProviderKeys
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
    const lent = await this.#parts.lentKeys.lentUnder(resolution.row, caller)
    const handed = {
      llm: await this.#handed('llm', llm, caller, lent),
      stt: stt && (await this.#handed('stt', stt, caller, lent)),
      tts: tts && (await this.#handed('tts', tts, caller, lent)),
    }
    if (forCall !== null)
      for (const stage of [llm, stt, tts])
        if (stage?.isDefault) this.#countHanded(caller, stage.first, forCall)
    return { agent, call: forCall, stages: handed }
  }

  /** Whether a spoken call of the agent would have speech-to-text and text-to-speech; a realtime model is both. */
  async canSpeak(org: NamedOrg, scope: SettingsScope): Promise<boolean> {
    const resolution = await this.#parts.records.resolve(scope, null, 'web')
    const { stt, tts } = stagesRun(await this.#runParts({ ...org, kind: 'fleet' }, resolution))
    return [stt, tts].every((stage) => stage?.first.source !== 'missing')
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
    { row, own, declaration, scopes }: ResolvedSettings,
  ): Promise<RunParts> {
    const { vendors, stageKeys, vendorWindow } = this.#parts
    return {
      vendors,
      row,
      layers: new Layers(
        declaration?.declared ?? {},
        scopes.map(({ config }) => config),
      ),
      sourceOf: await stageKeys.sourcesUnder(row, caller, own),
      isHanded: (source) => isHandedTo(caller, source),
      ordered: (chain) => vendorWindow.ordered(chain, caller.org),
    }
  }

  async #handed(stage: Stage, run: StageRun, caller: Caller, lent: Lent): Promise<HandedStage> {
    const keyless = () => forbidden(`${stage}: the org brought no key for ${run.named.vendor}`)
    if (!isHandedTo(caller, run.named.source)) throw keyless()
    const chain = [run.first, ...run.fallbacks]
    const handed = await Promise.all(chain.map((vendor) => this.#withKey(stage, vendor, caller, lent)))
    const [first, ...rest] = handed.filter((vendor) => vendor !== undefined)
    if (!first) throw keyless() // withdrawn since it was read
    const fallbacks = rest.map((vendor) => ({ ...vendor, ...optionsOf(vendor, run.fallbacks) }))
    return { ...first, fallbacks }
  }

  async #withKey(
    stage: Stage,
    { vendor, model, source }: RunVendor,
    caller: Caller,
    lent: Lent,
  ): Promise<HandedVendor | undefined> {
    if (source === 'unneeded') return { vendor, model, key: 'none', credentials: {} }
    const credentials =
      source === 'own' ? await this.#parts.providerKeys.credentialsOf(caller, vendor) : lent(stage, vendor)
    return credentials ? { vendor, model, key: keyOf[source], credentials } : undefined
  }
}

/** An org's worker gets the org's own keys only, never lent ones. */
const isHandedTo = ({ kind }: Pick<Caller, 'kind'>, source: KeySource) =>
  source === 'own' || source === 'unneeded' || (source === 'lent' && kind !== 'server')

/** The options of a fallback vendor; those of the first are in the configuration. */
function optionsOf({ vendor, model }: HandedVendor, runs: readonly RunVendor[]) {
  const options = runs.find((run) => run.vendor === vendor && run.model === model)?.options ?? {}
  return Object.keys(options).length > 0 ? { options } : {}
}

const keyOf: Record<KeySource, StageKey> = { own: 'yours', lent: 'lent', unneeded: 'none', missing: 'none' }

const stageOf = ({ first: { source, ...run } }: StageRun) => ({ ...run, key: keyOf[source] })
