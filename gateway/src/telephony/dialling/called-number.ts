import { phoneBook } from './phone-book.ts'

/** What a dial takes: + and the digits, the calling code first. */
const dialForm = /^\+[1-9][0-9]{1,14}$/

/** Ranges of satellites and global services: no person's phone, and expensive. */
const globalRanges = new Set(['870', '878', '881', '882', '883', '888', '979'])
const fewestNationalDigits = 5

/** A number to dial, and what the published tables say of it. */
export interface CalledNumber {
  number: string
  /** Null if it begins with none. */
  callingCode: string | null
  nationalDigits: number
  /** Where it could be; empty if the published tables do not say. */
  zones: readonly string[]
  /** Why it cannot be dialled. */
  fault: string | null
  /** Of an extension: the org's SIP account that it is dialled at. */
  peer?: ExtensionPeer
}

export interface ExtensionPeer {
  account: string
  /** Whether it is dialled at an address that the operator approved. */
  isApproved: boolean
  dials_at: string | null
}

/** The plan of calling code 1: the United States, Canada, the Caribbean and others. */
export const isPlanOne = ({ callingCode }: Pick<CalledNumber, 'callingCode'>) => callingCode === '1'

/** An unescaped + of a query comes as a space. */
export const numberInQuery = (typed: string) => typed.replace(/^ /, '+')

export async function readCalled(number: string): Promise<CalledNumber> {
  if (!dialForm.test(number))
    return unread(number, 'a number is + and its digits, calling code first, with nothing between them')
  const book = await phoneBook()
  const callingCode = book.callingCodeOf(number)
  if (callingCode === null) return unread(number, 'it begins with no country calling code')
  const nationalDigits = number.length - 1 - callingCode.length
  const fault = faultOf(callingCode, nationalDigits)
  return { number, callingCode, nationalDigits, zones: book.zonesOf(number, callingCode), fault }
}

const unread = (number: string, fault: string): CalledNumber => ({
  number,
  callingCode: null,
  nationalDigits: 0,
  zones: [],
  fault,
})

function faultOf(callingCode: string, nationalDigits: number): string | null {
  if (globalRanges.has(callingCode)) return `+${callingCode} is a satellite or global-service range`
  if (nationalDigits < fewestNationalDigits)
    return `it has fewer than five digits after its calling code +${callingCode}`
  return null
}
