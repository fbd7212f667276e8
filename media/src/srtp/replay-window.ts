const size = 128

/** Which of the newest packets of a source came already; older ones count as if they had. */
export class ReplayWindow {
  readonly #seen = new Float64Array(size).fill(-1)
  highest = -1

  isFresh(index: number): boolean {
    return index > this.highest - size && this.#seen[index % size] !== index
  }

  add(index: number): void {
    this.#seen[index % size] = index
    if (index > this.highest) this.highest = index
  }
}
