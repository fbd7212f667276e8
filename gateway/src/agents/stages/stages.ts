import type { ProviderRow } from '@switchroom/contract/providers'
import type { Options } from '@switchroom/contract/settings'
import type { Stage } from '@switchroom/contract/stages'
import type { InstalledVendors } from '@switchroom/kit/installed'
import {
  defaultModel,
  readStageWord,
  splitWord,
  type StageKnob,
  type VendorModel,
} from '../../providers/parsing/stage-parsing.ts'
import type { Layers } from './layers.ts'

/** What a stage runs on, whichever key that may be. */
export interface RunStage extends VendorModel {
  builds: string | null
  /** What the set states alone; the row's options lie under it. */
  options: Options
  /** Whether the agent runs a vendor of its own, or its own way of running the platform's. */
  isPinned: boolean
  /** What takes over when it fails: nothing if it is pinned. */
  fallbacks: VendorModel[]
}

/** Reads what the layers say about a stage, over the platform's row. */
export class StageReading {
  readonly #vendors: InstalledVendors
  readonly #row: ProviderRow

  constructor(vendors: InstalledVendors, row: ProviderRow) {
    this.#vendors = vendors
    this.#row = row
  }

  stage(stage: Stage, layers: Layers): RunStage {
    const named = stage === 'tts' ? this.#voice(layers) : this.#word(stage, layers.all(stage))
    const builds = layers.get(`${stage}_builds`) ?? null
    const options = layers.get(`${stage}_options`) ?? {}
    const isPinned = named !== undefined || builds !== null || Object.keys(options).length > 0
    const [first, ...rest] = this.#chain(stage)
    const tts_model = stage === 'tts' ? layers.get('tts_model') : undefined
    const run = named ?? { ...first, ...(tts_model !== undefined && { model: tts_model }) }
    return { ...run, builds, options, isPinned, fallbacks: isPinned ? [] : rest }
  }

  /** The judge: the agent's, else the org's, else the platform's, else the model the agent runs on. */
  judge(layers: Layers, orgsChoice: string | null): VendorModel & { from: 'agent' | 'org' | 'platform' } {
    const platforms = this.#row.judge === null ? [] : [this.#row.judge]
    const orgs = orgsChoice === null ? [] : [orgsChoice]
    const agents = layers.all('judge')
    const below = [...orgs, ...platforms, ...layers.all('llm')]
    const word = this.#word('judge', [...agents, ...below])
    if (agents.length > 0 && word) return { ...word, from: 'agent' }
    const fallback = this.#word('judge', [...orgs, ...platforms])
    if (fallback) return { ...fallback, from: orgs.length > 0 ? 'org' : 'platform' }
    return { ...this.#chain('llm')[0], from: 'platform' }
  }

  #voice(layers: Layers): VendorModel | undefined {
    const vendor = layers.get('tts')
    if (vendor === undefined) return undefined
    const named = readStageWord(this.#vendors, this.#row, 'tts', vendor, '')
    return { ...named, model: layers.get('tts_model') ?? named.model }
  }

  /** The nearest word; a model alone runs on the vendor that the next word below names, else the row's. */
  #word(knob: StageKnob, [nearest, ...below]: readonly string[]): VendorModel | undefined {
    if (nearest === undefined) return undefined
    const stage = knob === 'judge' ? 'llm' : knob
    const inUse = below.map((word) => this.#vendorNamed(stage, word)).find((vendor) => vendor !== undefined)
    return readStageWord(this.#vendors, this.#row, knob, nearest, inUse ?? this.#chain(stage)[0].vendor)
  }

  #vendorNamed(stage: Stage, word: string): string | undefined {
    return splitWord(word)?.vendor ?? (this.#vendors.doing(stage, word) ? word : undefined)
  }

  /** The row's default and what it falls back to, in the row's order. */
  #chain(stage: Stage): [VendorModel, ...VendorModel[]] {
    const read = (word: string): VendorModel =>
      splitWord(word) ?? { vendor: word, model: defaultModel(this.#vendors, this.#row, stage, word) }
    return [read(this.#row.defaults[stage]), ...this.#row.fallbacks[stage].map(read)]
  }
}
