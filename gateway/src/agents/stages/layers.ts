import { knobs, knobsOfName, type DeclarableName, type Knob } from '@switchroom/contract/knobs'
import type { Config } from '@switchroom/contract/settings'

/** What the class that holds an agent declares; a name with dependents is declared as a whole. */
export type Declared = Partial<Record<DeclarableName, Config>>

/**
 * What an agent is set to, nearest first. The class is above every scope; a knob is read from the first layer
 * in which it is present, whatever its value, and never put together from several.
 */
export class Layers {
  readonly #scopes: readonly Config[]
  readonly #declared: Config
  readonly #fixedKnobs: ReadonlySet<Knob>

  constructor(declared: Declared, scopes: readonly Config[]) {
    const names = Object.keys(declared) as DeclarableName[]
    this.#scopes = scopes
    this.#declared = Object.assign({}, ...Object.values(declared)) as Config
    this.#fixedKnobs = new Set(names.flatMap((name) => knobsOfName(name)))
  }

  get<Name extends Knob>(knob: Name): Config[Name] {
    return this.all(knob)[0] as Config[Name]
  }

  /** Every value of a knob, nearest first; of a declared one the class's alone. */
  all<Name extends Knob>(knob: Name): NonNullable<Config[Name]>[] {
    const layers = this.#fixedKnobs.has(knob) ? [this.#declared] : this.#scopes
    return layers.flatMap((layer) =>
      Object.hasOwn(layer, knob) ? [layer[knob] as NonNullable<Config[Name]>] : [],
    )
  }

  isDeclared(knob: Knob): boolean {
    return this.#fixedKnobs.has(knob)
  }

  /** Every knob as it holds; those that nothing sets are absent. */
  merged(): Config {
    const set = knobs.filter((knob) => this.all(knob).length > 0)
    return Object.fromEntries(set.map((knob) => [knob, this.get(knob)]))
  }
}
