import { randomUUID } from 'node:crypto'
import { deferred, type Deferred } from './deferred.ts'

/** `why` is the reason in a sentence: the caller is still in the call, unless it has ended. */
export type TransferOutcome = { ok: true } | { ok: false; why: string }

interface Begun extends Deferred<TransferOutcome> {
  request: string
  to: string
  kind: string
}

/** The transfers of a call that nothing is known of yet. */
export class Transfers {
  #begun: Begun[] = []
  /** Why none is begun any more. */
  #isOver: string | undefined

  begin(to: string, kind: string): { request: string; outcome: Promise<TransferOutcome> } {
    const begun = { ...deferred<TransferOutcome>(), request: randomUUID(), to, kind }
    if (this.#isOver === undefined) this.#begun.push(begun)
    else begun.resolve({ ok: false, why: this.#isOver })
    return { request: begun.request, outcome: begun.promise }
  }

  /** They are carried out in their order. */
  happened({ to, kind, ok, why }: Readonly<Record<string, unknown>>): void {
    const first = this.#begun.find((begun) => begun.to === to && begun.kind === kind)
    const reason = typeof why === 'string' ? why : 'the reason is not known'
    this.#settle(first, ok === true ? { ok: true } : { ok: false, why: reason })
  }

  refused(request: string, why: string): void {
    this.#settle(
      this.#begun.find((begun) => begun.request === request),
      { ok: false, why },
    )
  }

  endAll(why: string): void {
    this.#isOver = why
    for (const begun of this.#begun) this.#settle(begun, { ok: false, why })
  }

  #settle(settled: Begun | undefined, outcome: TransferOutcome): void {
    this.#begun = this.#begun.filter((begun) => begun !== settled)
    settled?.resolve(outcome)
  }
}
