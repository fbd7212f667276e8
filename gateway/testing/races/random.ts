/** Numbers that look random and are the same for the same seed. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** A whole number from 0 up to, and without, this one. */
  below(most: number): number {
    // The multiplier and the increment of Numerical Recipes.
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((this.#state / 2 ** 32) * most)
  }

  shuffled<T>(list: readonly T[]): T[] {
    const mixed = [...list]
    for (let at = mixed.length - 1; at > 0; at -= 1) {
      const other = this.below(at + 1)
      const [here, there] = [mixed[at] as T, mixed[other] as T] // both are within the list
      mixed[at] = there
      mixed[other] = here
    }
    return mixed
  }
}
