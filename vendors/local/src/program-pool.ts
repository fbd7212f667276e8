import type { Exchange } from './exchange.ts'
import type { Message } from './messages.ts'
import { Program, type ProgramOf } from './program.ts'

/** What answers requests: programs of this process, or those of another one. */
export interface Answering {
  ask(message: Message, signal: AbortSignal): Exchange
}

export interface PoolOf extends ProgramOf {
  /** How many of the program run at most; read again for every request. */
  most: () => number
  /** So many requests at once are one program's fair share: another one is started for more. */
  share: number
  /** More than this many at once a program refuses. */
  refusesAt: () => number
  /** For so long there have to be more: loading a program takes a core for a second, which calls that begin need. */
  patienceMs: number
}

/** The same program as often as the requests need it, each a process with one thread that works. */
export class ProgramPool implements Answering {
  readonly #of: PoolOf
  readonly #first: Program
  readonly #programs: Program[]
  #isGrowing = false

  constructor(of: PoolOf) {
    this.#of = of
    this.#first = new Program(of)
    this.#programs = [this.#first]
  }

  ask(message: Message, signal: AbortSignal): Exchange {
    const exchange = this.#best().ask(message, signal)
    if (this.#isCrowded && !this.#isGrowing) {
      this.#isGrowing = true
      setTimeout(() => this.#grow(), this.#of.patienceMs).unref()
    }
    return exchange
  }

  /** The first that has room, so that the others may end; one that still loads only if no other takes it. */
  #best(): Program {
    const { share, refusesAt } = this.#of
    const up = this.#programs.filter(({ isDown, load }) => !isDown && load < refusesAt())
    const loaded = up.filter(({ hasLoaded }) => hasLoaded)
    const free = loaded.find(({ load }) => load < share)
    return free ?? leastLoaded(loaded) ?? leastLoaded(up) ?? this.#spare() ?? this.#first
  }

  get #isCrowded(): boolean {
    const { share, most } = this.#of
    const up = this.#programs.filter(({ isDown }) => !isDown)
    return up.length < most() && up.every(({ load }) => load >= share)
  }

  #grow(): void {
    this.#isGrowing = false
    if (this.#isCrowded) this.#spare()?.start()
  }

  /** One that does not run; undefined if as many as may run do. */
  #spare(): Program | undefined {
    const down = this.#programs.find(({ isDown }) => isDown)
    if (down || this.#programs.length >= this.#of.most()) return down
    const added = new Program(this.#of)
    this.#programs.push(added)
    return added
  }
}

const leastLoaded = (programs: readonly Program[]) => programs.toSorted((a, b) => a.load - b.load)[0]
