import { vendorIn, type StageChoice } from '../src/installed.ts'
import type { RealtimeAsked, RealtimeTold, Tool } from '../src/vendor.ts'

export const look: Tool = {
  name: 'look',
  description: 'looks',
  parameters: { type: 'object', properties: {} },
}

/** Requests one after the other; each waits for the answer that it names, or for what the test does meanwhile. */
export type Step = RealtimeAsked | ((told: RealtimeTold) => boolean) | { act: () => unknown }

export class Script {
  readonly told: RealtimeTold[] = []
  readonly #steps: readonly Step[]
  #wake: () => void = () => {}

  constructor(...steps: Step[]) {
    this.#steps = steps
  }

  async *asked(): AsyncIterable<RealtimeAsked> {
    let read = 0
    for (const step of this.#steps)
      if ('act' in step) await step.act()
      else if (typeof step !== 'function') yield step
      else
        for (;;) {
          const at = this.told.findIndex((told, nth) => nth >= read && step(told))
          if (at >= 0) {
            read = at + 1
            break
          }
          await new Promise<void>((resolve) => (this.#wake = resolve))
        }
  }

  take(told: RealtimeTold): RealtimeTold {
    this.told.push(told)
    this.#wake()
    return told
  }
}

export const isAudio = (told: RealtimeTold) => told.type === 'audio'
export const isEnded = (told: RealtimeTold) => told.type === 'turn' && told.state === 'ended'
export const isFinal = (told: RealtimeTold) => told.type === 'final'
export const replied = (reply: string) => (told: RealtimeTold) =>
  told.type === 'replied' && told.reply === reply
export const asks = (
  reply: string,
  instructions = 'Be brief.',
  tools: readonly Tool[] = [look],
): RealtimeAsked => ({ type: 'reply', reply, instructions, tools })

/** What a vendor tells while it is asked what the script says. */
export async function* converse(folder: string, script: Script, choice: StageChoice, signal: AbortSignal) {
  const realtime = await vendorIn(folder)?.realtime(choice)
  for await (const told of realtime?.converse(script.asked(), signal) ?? []) yield script.take(told)
}

export const wordsOf = (told: readonly RealtimeTold[], reply: string): string =>
  told.map((one) => (one.type === 'text' && one.reply === reply ? one.text : '')).join('')

/** A voice of so many milliseconds, and the pause after it, as the session sends them. */
export function spoken(rate: number, ms: number): RealtimeAsked[] {
  const loud = Int16Array.from({ length: (rate * ms) / 1_000 }, (_, at) => 6_000 * Math.sin(at / 8))
  return [
    { type: 'speech', state: 'started' },
    new Uint8Array(loud.buffer),
    new Uint8Array(rate * 2),
    { type: 'speech', state: 'ended' },
  ]
}
