import { badRequest } from './refusals.ts'

/** What a person would count as characters, near enough. */
export const codePoints = (text: string) => Array.from(text)

const oneLineOf = (text: string) => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()

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
  if (line === '' || codePoints(line).length > 100 || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(line))
    throw badRequest(`a ${field} is one line of 1 to 100 characters`)
  return line
}

/** What a mail program makes a link of: an address, a URL, a bare domain, an IPv4 address. */
const linkForms = [
  /\S@\S/,
  /:\/\//,
  /(?:^|[^\p{L}])(?:https?|ftp|mailto):/iu,
  /[\p{L}\p{N}-]\.\p{L}{2,}/u,
  /\d(?:\.\d{1,3}){3}/,
]

/** Whether a mail program could make it a link, also if its dots are of another script. */
export function holdsLink(text: string): boolean {
  const plain = text
    .normalize('NFKC')
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll('。', '.')
  return linkForms.some((form) => form.test(plain))
}

/** The name of a person or an org, which letters to strangers carry. */
export function nameOf(typed: string): string {
  const name = lineOf('name', typed)
  if (holdsLink(name))
    throw badRequest(
      'a name may hold no address and no link: write it without "@", "://" and dots between letters',
    )
  return name
}

/** What a device or a provider calls something is cut to fit, not refused. */
export const cutToLine = (typed: string | undefined, whenBlank: string) =>
  codePoints(oneLineOf(typed ?? ''))
    .slice(0, 100)
    .join('')
    .trim() || whenBlank

/** The name of a person if only their address is known. */
export const nameFrom = (address: string) => cutToLine(address.slice(0, address.indexOf('@')), address)
