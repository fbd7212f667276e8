import { setTimeout as pause } from 'node:timers/promises'

/** Looks again until it finds something that is not false or missing; fails past the deadline. */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  withinMs = 30_000,
): Promise<NonNullable<T> & (T extends false ? never : T)> {
  const deadlineMs = Date.now() + withinMs
  for (;;) {
    const found = await look()
    if (found) return found as NonNullable<T> & (T extends false ? never : T)
    if (Date.now() > deadlineMs) throw new Error(`waited ${withinMs} ms in vain until ${what}`)
    await pause(10)
  }
}
