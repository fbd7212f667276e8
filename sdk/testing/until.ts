import { setTimeout as pause } from 'node:timers/promises'

/** Looks again until it is so; fails past the deadline. */
export async function until(what: string, look: () => boolean, withinMs = 10_000): Promise<void> {
  const deadlineMs = Date.now() + withinMs
  while (!look()) {
    if (Date.now() > deadlineMs) throw new Error(`waited ${withinMs} ms in vain until ${what}`)
    await pause(5)
  }
}
