import { refused } from '@switchroom/kit/failures'
import type { InstalledVendors } from '@switchroom/kit/installed'
import type { Credentials, Model } from '@switchroom/kit/vendor'
import type { ModelRun } from '@switchroom/session/parts'
import { Layers } from '../../agents/stages/layers.ts'
import type { ProviderKeys } from '../../providers/keys/provider-keys.ts'
import type { LentKeys, NamedOrg } from '../../providers/lent-keys/lent-keys.ts'
import type { KeySource, StageKeys } from '../../providers/lent-keys/stage-keys.ts'
import type { ResolvedSettings } from '../records/records.ts'
import { stagesRun, type RunVendor } from '../resolution/resolved-stages.ts'

export interface CallModelsParts {
  vendors: InstalledVendors
  stageKeys: StageKeys
  lentKeys: LentKeys
  providerKeys: ProviderKeys
}

export const layersOf = ({ declaration, scopes }: Pick<ResolvedSettings, 'declaration' | 'scopes'>) =>
  new Layers(
    declaration?.declared ?? {},
    scopes.map(({ config }) => config),
  )

/** The models a written call is answered by: the row's chain as it is written, whatever fails just now. */
export class CallModels {
  readonly #parts: CallModelsParts

  constructor(parts: CallModelsParts) {
    this.#parts = parts
  }

  /** In the order in which they are tried, without those that no key would run; where that is all, the one named. */
  async chain(org: NamedOrg, resolution: ResolvedSettings): Promise<RunVendor[]> {
    const { vendors, stageKeys } = this.#parts
    const { row, own } = resolution
    const { llm } = stagesRun({
      vendors,
      row,
      layers: layersOf(resolution),
      sourceOf: await stageKeys.sourcesUnder(row, org, own),
      isHanded: (source) => source !== 'missing',
      ordered: (chain) => [...chain],
    })
    const able = [llm.first, ...llm.fallbacks].filter(({ source }) => source !== 'missing')
    return able.length > 0 ? able : [llm.named]
  }

  /** The same, ready to be asked. */
  async runs(org: NamedOrg, resolution: ResolvedSettings): Promise<ModelRun[]> {
    const chain = await this.chain(org, resolution)
    const temperature = layersOf(resolution).get('temperature')
    return Promise.all(
      chain.map(async (run) => {
        const { vendor, model, source } = run
        const credentials = await this.#credentialsOf(org, resolution, run)
        const building = () => this.#built(run, credentials, temperature)
        return { vendor, model, key: keyOf[source], think: thinkingOf(building) }
      }),
    )
  }

  async #credentialsOf(
    org: NamedOrg,
    { row }: ResolvedSettings,
    { vendor, source }: RunVendor,
  ): Promise<Credentials | null> {
    if (source === 'unneeded') return {}
    if (source === 'own') return this.#parts.providerKeys.credentialsOf(org, vendor)
    return (await this.#parts.lentKeys.lentUnder(row, org))('llm', vendor) ?? null
  }

  async #built(
    { vendor, model, builds, options }: RunVendor,
    credentials: Credentials | null,
    temperature: number | undefined,
  ): Promise<Model> {
    const installed = this.#parts.vendors.doing('llm', vendor)
    if (!installed) throw refused(`${vendor} is not installed`)
    if (!credentials) throw refused(`no key runs ${vendor}/${model}`)
    const range = installed.manifest?.stages.llm?.temperature
    const isTaken = temperature !== undefined && range && temperature >= range[0] && temperature <= range[1]
    return installed.model({
      model,
      builds: builds ?? undefined,
      knobs: isTaken ? { temperature } : {},
      options,
      credentials,
    })
  }
}

const keyOf: Record<KeySource, ModelRun['key']> = {
  own: 'yours',
  lent: 'lent',
  unneeded: 'none',
  missing: 'none',
}

/** Built when the model is first asked: most fallbacks never are. */
function thinkingOf(build: () => Promise<Model>): Model['think'] {
  let building: Promise<Model> | undefined
  return async function* think(conversation, signal) {
    building ??= build()
    yield* (await building).think(conversation, signal)
  }
}
