import { badRequest } from './refusals.ts'

/** What a person would count as characters, near enough. */
export const codePoints = (text: string) => Array.from(text)

const oneLineOf = (text: string) => text.replace(/\p{Cc}+/gu, ' ').trim()

/** An address is one person's name on the deployment, however it was typed. */
export const normalAddress = (typed: string) => typed.trim().toLowerCase()

export const isAddress = (address: string) =>
  address.length <= 254 && /^[^\s\p{Cc}@]+@[^\s\p{Cc}@.]+(?:\.[^\s\p{Cc}@.]+)+$/u.test(address)

export function addressOf(typed: string): string {
  const address = normalAddress(typed)
  if (!isAddress(address)) throw badRequest('that is not an email address')
  return address
}

/** A name or a label as a person typed it. */
export function lineOf(field: 'name' | 'label', typed: string): string {
  const line = typed.trim()
  if (line === '' || codePoints(line).length > 100 || /\p{Cc}/u.test(line))
    throw badRequest(`a ${field} is one line of 1 to 100 characters`)
  return line
}

/** What a device or a provider calls something is cut to fit, not refused. */
export const cutToLine = (typed: string | undefined, whenBlank: string) =>
  codePoints(oneLineOf(typed ?? ''))
    .slice(0, 100)
    .join('')
    .trim() || whenBlank

/** What to call somebody of whom only the address is known. */
export const nameFrom = (address: string) => cutToLine(address.slice(0, address.indexOf('@')), address)
