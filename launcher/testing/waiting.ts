import { setTimeout as sleep } from 'node:timers/promises'

const pollMs = 25

/** Asks again and again until the answer is neither undefined nor false; says what it waited for when time is up. */
export async function until<Answer>(
  what: string,
  ask: () => Answer | Promise<Answer>,
  withinMs = 30_000,
): Promise<Exclude<Answer, undefined | false>> {
  const deadline = Date.now() + withinMs
  for (;;) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer as Exclude<Answer, undefined | false>
    if (Date.now() > deadline) throw new Error(`waited ${withinMs} ms in vain until ${what}`)
    await sleep(pollMs)
  }
}
