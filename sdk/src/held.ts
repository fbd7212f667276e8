import { Agent, type HoldOptions } from './agent.ts'
import { SwitchroomError } from './errors.ts'
import { PhoneLine } from './line.ts'
import { nearestName } from '@switchroom/contract/near-names'

export type Held = Agent | PhoneLine

const optionNames = ['exclusive', 'balance']

/** What `hold` was called with: agents and lines, then how to hold them. */
export function heldIn(given: readonly unknown[]): { held: Held[]; options: HoldOptions } {
  const last = given.at(-1)
  const hasOptions = given.length > 0 && !isHeld(last)
  const held = hasOptions ? given.slice(0, -1) : given
  if (!held.every(isHeld))
    throw refused('hold takes agents and lines, and options after them: hold(agent, { exclusive: true })')
  return { held: [...held], options: hasOptions ? optionsIn(last) : {} }
}

const isHeld = (value: unknown): value is Held => value instanceof Agent || value instanceof PhoneLine

function optionsIn(given: unknown): HoldOptions {
  if (typeof given !== 'object' || given === null || Object.getPrototypeOf(given) !== Object.prototype)
    throw refused('hold takes agents and lines, and options after them: hold(agent, { exclusive: true })')
  for (const [name, value] of Object.entries(given)) {
    const meant = nearestName(name, optionNames)
    const advice = meant === undefined ? 'it has `exclusive` and `balance`' : `did you mean \`${meant}\`?`
    if (!optionNames.includes(name)) throw refused(`hold has no option \`${name}\`: ${advice}`)
    if (value !== undefined && typeof value !== 'boolean') throw refused(`\`${name}\` is true or false`)
  }
  return given
}

const refused = (sentence: string) => new SwitchroomError('BAD_OPTION', sentence)
