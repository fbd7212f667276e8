import { setTimeout as pause } from 'node:timers/promises'

const patienceMs = 30_000

export async function until(isSo: () => boolean, what: string): Promise<void> {
  const late = performance.now() + patienceMs
  while (!isSo()) {
    if (performance.now() > late) throw new Error(`waited in vain for ${what}`)
    await pause(10)
  }
}
