const most = 1000

/** Frames that wait for a connection, in order. */
export class Outbox {
  #waiting: string[] = []

  put(text: string): void {
    this.#waiting.push(text)
    if (this.#waiting.length > most) this.#waiting.shift()
  }

  takeAll(): string[] {
    const waiting = this.#waiting
    this.#waiting = []
    return waiting
  }
}
