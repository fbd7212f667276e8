import { Failure, reasonOf } from '../../terminal/failures.ts'

/** What a run has to take back, newest first. */
export class Leftovers {
  readonly #made: { what: string; remove: () => Promise<unknown> }[] = []

  add(what: string, remove: () => Promise<unknown>): void {
    this.#made.push({ what, remove })
  }

  get isEmpty(): boolean {
    return this.#made.length === 0
  }

  /** Goes through all of it, whatever fails; answers a sentence for each thing that is still there. */
  async remove(): Promise<string[]> {
    const left: string[] = []
    for (;;) {
      const made = this.#made.pop()
      if (!made) return left
      await made.remove().catch((error: unknown) => {
        const isGone = error instanceof Failure && error.status === 404
        if (!isGone) left.push(`${made.what} could not be removed: ${reasonOf(error)}`)
      })
    }
  }
}
