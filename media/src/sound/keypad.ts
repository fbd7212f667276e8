import { MediaError } from '../plane.ts'

/** The keys, each at the number of its telephone event. */
export const keypad = '0123456789*#ABCD'

export const lowHz = [697, 770, 852, 941]
export const highHz = [1209, 1336, 1477, 1633]
/** The keys row by row, as their two frequencies name them. */
const rows = '123A456B789C*0#D'

export const keyAt = (row: number, column: number): string | undefined => rows[highHz.length * row + column]

/** The two frequencies of a key. */
export function frequenciesOf(key: string): [low: number, high: number] {
  const place = rows.indexOf(key)
  return [lowHz[place >> 2] ?? 0, highHz[place & 3] ?? 0]
}

/** The keys of a text, one by one; fails with a `MediaError` when one is on no keypad. */
export function keysIn(text: string): string[] {
  const keys = Array.from(text.toUpperCase())
  const unknown = keys.find((key) => !keypad.includes(key))
  if (unknown === undefined) return keys
  throw new MediaError(`${JSON.stringify(unknown)} is on no keypad: the keys are ${keypad}`)
}
