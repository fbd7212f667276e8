import type { LockSession, WithLockSession } from '../../database/lock-session.ts'
import { secondMs } from '../../foundation/clock.ts'
import { unavailable } from '../../foundation/refusals.ts'

/** Connections that hold locks do nothing else, so there are few of them. */
const sessionsAtMost = 2
export const longestLockWaitMs = 120 * secondMs

/** A task that needs several takes them in this order. */
export const numberLock = (number: string) => `number ${number}`
export const orgLock = (org: string) => `numbers of ${org}`
export const reconciliationLock = 'reconciliation of numbers'
export const carrierLock = (accountSid: string) => `carrier account ${accountSid}`

/** Locks that a task has. */
export interface HeldLocks {
  /** Takes one more if it is free: out of the order of locks, and so without waiting. */
  tryAlso(name: string): Promise<boolean>
}

/** A task that has one lock, and takes others one at a time. */
export interface LockHolder {
  withLock<T>(name: string, task: () => Promise<T>): Promise<T>
  /** Takes those that are free, without waiting for the others, and does the task with them. */
  withFreeOf<T>(names: readonly string[], task: (held: ReadonlySet<string>) => Promise<T>): Promise<T>
}

/**
 * Locks over everything that changes which numbers are admitted, on this gateway and across all of them. They are
 * the database connection's own, so PostgreSQL releases those of a gateway that dies.
 */
export class NumberLocks {
  readonly #withSession: WithLockSession
  /** By name, the last task of this process that has it or waits for it. */
  readonly #last = new Map<string, Promise<void>>()
  /** Tasks that wait for a session. */
  readonly #queued: (() => void)[] = []
  #sessions = 0

  constructor(withSession: WithLockSession) {
    this.#withSession = withSession
  }

  /** Runs the work under all of these locks, taken one after the other. */
  async withLocks<T>(names: readonly string[], work: (held: HeldLocks) => Promise<T>): Promise<T> {
    const releases: (() => void)[] = []
    try {
      for (const name of names) releases.push(await this.#queue(name))
      return await this.#onSession((session) => heldOn(session, names, work))
    } finally {
      for (const release of releases.toReversed()) release()
    }
  }

  /**
   * Runs the work unless a task, here or on another gateway, has this lock; answers whether it did. The work takes
   * others one at a time and in the same session.
   */
  async withLockIfFree(name: string, work: (holder: LockHolder) => Promise<void>): Promise<boolean> {
    return this.#onSession(async (session) => {
      if ((await session.tryToTake([name])).length === 0) return false
      await work({
        withLock: (other, task) => this.#withLockOn(session, other, task),
        withFreeOf: (names, task) => this.#withFreeOn(session, names, task),
      })
      return true
    })
  }

  async #withLockOn<T>(session: LockSession, name: string, task: () => Promise<T>): Promise<T> {
    const release = await this.#queue(name)
    try {
      await waitFor(session, name)
      return await task()
    } finally {
      await session.release([name])
      release()
    }
  }

  async #withFreeOn<T>(
    session: LockSession,
    names: readonly string[],
    task: (held: ReadonlySet<string>) => Promise<T>,
  ): Promise<T> {
    const free = names.filter((name) => !this.#last.has(name))
    const releases = await Promise.all(free.map((name) => this.#queue(name)))
    let held: string[] = []
    try {
      held = await session.tryToTake(free)
      return await task(new Set(held))
    } finally {
      await session.release(held)
      for (const release of releases) release()
    }
  }

  /** Tasks of this process queue here, so that those that wait for one org take no connection from the others. */
  async #queue(name: string): Promise<() => void> {
    const before = this.#last.get(name)
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#last.set(name, promise)
    await before
    return () => {
      if (this.#last.get(name) === promise) this.#last.delete(name)
      resolve()
    }
  }

  async #onSession<T>(work: (session: LockSession) => Promise<T>): Promise<T> {
    if (this.#sessions >= sessionsAtMost) await new Promise<void>((resolve) => this.#queued.push(resolve)) // handed over by the task that is done
    else this.#sessions += 1
    try {
      return await this.#withSession(work)
    } finally {
      const next = this.#queued.shift()
      if (next) next()
      else this.#sessions -= 1
    }
  }
}

async function heldOn<T>(
  session: LockSession,
  names: readonly string[],
  work: (held: HeldLocks) => Promise<T>,
) {
  for (const name of names) await waitFor(session, name)
  return work({ tryAlso: async (name) => (await session.tryToTake([name])).length > 0 })
}

async function waitFor(session: LockSession, name: string) {
  if (await session.take(name)) return
  throw unavailable('other changes of these numbers are under way: ask again', 5)
}
