import type { EventsAsked } from '@switchroom/contract/log'
import { unprocessable } from '../../foundation/refusals.ts'

const mostOnPage = 1000
const usualOnPage = 500
const highestSeq = 2 ** 31 - 1

/** `last-event-id` wins over `after`: a browser that reconnects repeats its old address. */
export function cursorOf({ after }: EventsAsked, lastEventId?: string): number {
  const asked = wholeNumber('after', after ?? '0', 0, highestSeq)
  return lastEventId ? wholeNumber('last-event-id', lastEventId, 0, highestSeq) : asked
}

export const limitOf = ({ limit }: EventsAsked): number =>
  limit === undefined ? usualOnPage : wholeNumber('limit', limit, 1, mostOnPage)

function wholeNumber(name: string, said: string, least: number, most: number): number {
  const number = /^\d{1,10}$/.test(said) ? Number(said) : -1
  if (number < least || number > most)
    throw unprocessable(`${name}: must be a whole number from ${least} to ${most}`)
  return number
}
