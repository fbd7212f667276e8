import { secondMs } from '../foundation/clock.ts'
import { goneAfterMs } from './gateway-liveness.ts'

/** A gateway that looks at the lock of another hides it from the rest for a moment. */
const hiddenAtMostMs = 2.5 * secondMs

/** A gateway whose lock is free, and its newest heartbeat, if it is listed. */
export interface UnlockedGateway {
  id: string
  seenAt: string | null
}

interface Silence {
  seenAt: string | null
  sinceMs: number
  lookedMs: number
}

/**
 * A gateway is dead if its lock was free at every look for `goneAfterMs`, and its heartbeat was the same. It loses the
 * lock with one connection, has it back in seconds, and sends heartbeats over another meanwhile. The time is this
 * process's own, so that clocks that differ make no gateway dead.
 */
export class GatewaySilence {
  #silences = new Map<string, Silence>()

  /** After a look that failed: the others may have been without the database too. */
  restart() {
    this.#silences.clear()
  }

  deadAmong(unlocked: readonly UnlockedGateway[], nowMs: number): string[] {
    const hidden = [...this.#silences].filter(([, { lookedMs }]) => nowMs - lookedMs <= hiddenAtMostMs)
    const looked = unlocked.map(({ id, seenAt }) => {
      const known = this.#silences.get(id)
      const sinceMs = known?.seenAt === seenAt ? known.sinceMs : nowMs
      return [id, { seenAt, sinceMs, lookedMs: nowMs }] as const
    })
    this.#silences = new Map([...hidden, ...looked])
    return looked.flatMap(([id, { sinceMs }]) => (nowMs - sinceMs >= goneAfterMs ? [id] : []))
  }
}
