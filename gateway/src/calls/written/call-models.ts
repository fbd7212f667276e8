import type { InstalledVendors } from '@switchroom/kit/installed'
import type { ChosenModel } from '@switchroom/session/setup/call-setup'
import type { OwnKeys } from '../../providers/lent-keys/own-keys.ts'
import type { LentKeys, NamedOrg } from '../../providers/lent-keys/lent-keys.ts'
import type { StageKeys } from '../../providers/lent-keys/stage-keys.ts'
import type { ResolvedSettings } from '../records/records.ts'
import { layersOf } from '../resolution/resolved-config.ts'
import { stagesRun, type RunVendor } from '../resolution/resolved-stages.ts'
import { stageCredentials, stageKeyOf } from '../resolution/stage-credentials.ts'

export interface CallModelsParts {
  vendors: InstalledVendors
  stageKeys: StageKeys
  lentKeys: LentKeys
  ownKeys: OwnKeys
}

/** The models of a written call: the providers row's chain in its own order, however vendors fare at the moment. */
export class CallModels {
  readonly #parts: CallModelsParts

  constructor(parts: CallModelsParts) {
    this.#parts = parts
  }

  /** In the order in which they are tried, without those that no key runs; if that leaves none, the one named. */
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

  /** The same with their credentials. */
  async chosen(org: NamedOrg, resolution: ResolvedSettings): Promise<ChosenModel[]> {
    const [chain, credentialsOf] = await Promise.all([
      this.chain(org, resolution),
      stageCredentials(this.#parts, org, resolution),
    ])
    return Promise.all(
      chain.map(async ({ source, ...run }) => ({
        ...run,
        key: stageKeyOf[source],
        credentials: (await credentialsOf('llm', { ...run, source })) ?? null,
      })),
    )
  }
}
