import { MediaError } from '../plane.ts'

/** The keys, each at the number of its telephone event. */
export const keypad = '0123456789*#ABCD'

/** The keys of a text, one by one; fails with a `MediaError` when one is on no keypad. */
export function keysIn(text: string): string[] {
  const keys = Array.from(text.toUpperCase())
  const unknown = keys.find((key) => !keypad.includes(key))
  if (unknown === undefined) return keys
  throw new MediaError(`${JSON.stringify(unknown)} is on no keypad: the keys are ${keypad}`)
}
