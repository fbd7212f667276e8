type Listener<Event> = (event: Event) => void

/** Named events with typed contents. */
export class Listeners<Events extends object> {
  readonly #byName = new Map<keyof Events, Set<Listener<never>>>()

  /** Answers how to stop listening. */
  on<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): () => void {
    const listeners = this.#byName.get(name) ?? new Set()
    this.#byName.set(name, listeners.add(listener))
    return () => void listeners.delete(listener)
  }

  emit<Name extends keyof Events>(name: Name, event: Events[Name]): void {
    for (const listener of this.#byName.get(name) ?? []) {
      try {
        ;(listener as Listener<Events[Name]>)(event)
      } catch (error) {
        reportError(error) // a listener that throws must not keep the event from the others, nor end the call
      }
    }
  }

  has(name: keyof Events): boolean {
    return (this.#byName.get(name)?.size ?? 0) > 0
  }
}
