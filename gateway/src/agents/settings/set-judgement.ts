import { isDeepStrictEqual } from 'node:util'
import type { ProviderRow } from '@switchroom/contract/providers'
import { knobs, rowOfKnob, type Knob } from '@switchroom/contract/knobs'
import type { Config, Lexicon } from '@switchroom/contract/settings'
import type { Stage } from '@switchroom/contract/stages'
import type { InstalledVendors } from '@switchroom/kit/installed'
import { conflict, Refusal } from '../../foundation/refusals.ts'
import type { NamedOrg } from '../../providers/lent-keys/lent-keys.ts'
import type { RunningKey, StageKeys } from '../../providers/lent-keys/stage-keys.ts'
import type { StageKnob } from '../../providers/parsing/stage-parsing.ts'
import { notLent } from '../../providers/parsing/vendor-refusals.ts'
import { lineIn } from '../../providers/voices/sample-lines.ts'
import type { Declaration } from '../stages/declaration.ts'
import { spokenWith } from '../lexicon/said.ts'
import { builtClass } from '../stages/built-class.ts'
import { Layers } from '../stages/layers.ts'
import { StageReading, type RunStage } from '../stages/stages.ts'
import type { Trial } from '../../providers/trials/trials.ts'

/** What a set is held against. */
export interface CurrentSettings {
  org: NamedOrg
  row: ProviderRow
  /** The same scope's newest row; empty if it has none. */
  standing: Config
  /** The rows of the scopes under it, nearest first. */
  below: readonly Config[]
  declaration: Declaration | null
  orgJudge: string | null
}

/** The order in which a set's stages are refused, and another in which they are tried. */
const refusalOrder: readonly StageKnob[] = ['llm', 'stt', 'tts', 'judge']
const trialOrder: readonly Stage[] = ['tts', 'llm', 'stt']

/** The knobs that choose what a stage runs on. */
const choosing = (stage: StageKnob): readonly Knob[] =>
  knobs.filter((knob) => rowOfKnob(knob).stage === stage && !rowOfKnob(knob).isTuning)

/** What a set would run, against what runs now. */
export class SetJudgement {
  readonly #vendors: InstalledVendors
  readonly #stageKeys: StageKeys
  readonly #standing: CurrentSettings
  /** What the set says for itself: a knob that the class declares runs as the class says. */
  readonly #config: Config
  readonly #reading: StageReading
  readonly layers: Layers
  readonly #layersNow: Layers

  constructor(vendors: InstalledVendors, stageKeys: StageKeys, standing: CurrentSettings, config: Config) {
    const declared = standing.declaration?.declared ?? {}
    this.#vendors = vendors
    this.#stageKeys = stageKeys
    this.#standing = standing
    this.#reading = new StageReading(vendors, standing.row)
    this.layers = new Layers(declared, [config, ...standing.below])
    this.#layersNow = new Layers(declared, [standing.standing, ...standing.below])
    const own = Object.entries(config).filter(([knob]) => !this.layers.isDeclared(knob as Knob))
    this.#config = Object.fromEntries(own)
  }

  get reading() {
    return this.#reading
  }

  /** A vendor that no key would run for this org: judged last, and only if the set names the stage. */
  async refuseNotLent() {
    for (const knob of knobs.filter((name): name is StageKnob => refusalOrder.includes(name as StageKnob))) {
      if (!this.#speaksOf(knob)) continue
      const run = this.#run(knob)
      if (!(await this.#keyOf(knob))) throw notLent(this.#knobNaming(knob), run)
    }
  }

  /** Classes and options of one's own never run on a key that the platform lends. */
  async refuseOptionsOnLentKey() {
    for (const knob of refusalOrder) {
      const options = this.#config[`${knob}_options`] ?? {}
      if (this.#config[`${knob}_builds`] === undefined && Object.keys(options).length === 0) continue
      if ((await this.#keyOf(knob))?.from !== 'own')
        throw conflict(
          `${knob} options and builds run on the org's own key, and this agent's ${knob} would run on the platform's`,
        )
    }
  }

  /** One trial for each stage that the set changes, built with the lexicon as a call would be. */
  async trials(lexicon: Lexicon): Promise<Trial[]> {
    const changed = trialOrder.filter((stage) => this.#changes(stage) && !this.#isReplaced(stage))
    const trials = await Promise.all(changed.map((stage) => this.#trialOf(stage, lexicon)))
    return trials.flatMap((trial) => trial ?? [])
  }

  async #trialOf(stage: Stage, { said, heard }: Lexicon): Promise<Trial | undefined> {
    const run = this.#run(stage)
    const key = await this.#keyOf(stage)
    const vendor = this.#vendors.get(run.vendor)
    if (!key || !vendor) return undefined
    const { row } = this.#standing
    const own = key.from === 'own'
    const language = this.layers.get('language')
    return {
      stage,
      vendor,
      line: spokenWith(said)(lineIn(language ?? 'en', row.lines)),
      choice: {
        model: run.model,
        ...(own && run.builds !== null && { builds: run.builds }),
        knobs: {
          voice: this.layers.get('voice'),
          temperature: this.layers.get('temperature'),
          language,
          ...(heard.length > 0 && { heard }),
        },
        options: { ...row.options[`${stage}/${run.vendor}`], ...(own && run.options) },
        credentials: key.credentials,
      },
    }
  }

  #run(knob: StageKnob): Pick<RunStage, 'vendor' | 'model' | 'builds' | 'options'> {
    if (knob !== 'judge') return this.#reading.stage(knob, this.layers)
    const options = this.layers.get('judge_options') ?? {}
    const builds = this.layers.get('judge_builds') ?? null
    return { ...this.#reading.judge(this.layers, this.#standing.orgJudge), builds, options }
  }

  #keyOf(knob: StageKnob): Promise<RunningKey | undefined> {
    return this.#stageKeys.find(this.#standing.org, knob, this.#run(knob))
  }

  #speaksOf(knob: StageKnob): boolean {
    if (knob !== 'judge' && this.#isReplaced(knob)) return false
    const isSaid = choosing(knob).some((name) => Object.hasOwn(this.#config, name))
    return isSaid || (knob !== 'judge' && this.#changes(knob))
  }

  #knobNaming(knob: StageKnob): Knob {
    if (Object.hasOwn(this.#config, knob)) return knob
    return choosing(knob).find((name) => Object.hasOwn(this.#config, name)) ?? knob
  }

  #changes(stage: Stage): boolean {
    return !isDeepStrictEqual(this.#tuple(stage, this.layers), this.#tuple(stage, this.#layersNow))
  }

  #tuple(stage: Stage, layers: Layers): unknown {
    try {
      const { vendor, model, builds, options } = this.#reading.stage(stage, layers)
      return [vendor, model, builds, options, stage === 'tts' ? layers.get('voice') : null]
    } catch (error) {
      if (error instanceof Refusal) return null // the current settings were stored while their vendor was installed
      throw error
    }
  }

  /** A realtime model speaks and hears for itself. */
  #isReplaced(stage: Stage): boolean {
    if (stage === 'llm') return false
    const { builds, ...run } = this.#reading.stage('llm', this.layers)
    return builtClass(this.#vendors, 'llm', run, builds)?.isRealtime === true
  }
}
