import { isEmergency, sipExtensionForm, sipNameForm } from '@switchroom/contract/extensions'
import { badRequest } from '../../foundation/refusals.ts'
import { cutToLine } from '../../foundation/text.ts'

const mostRanges = 50

/** Which extensions agents may dial at a peer: one, a range of as many digits, or a name, as `105`, `100-199` or `desk`. */
export function readDialExtensions(
  sent: readonly string[] | null | undefined,
  held: string[] | undefined,
): { dial_extensions?: string[] } {
  const ranges = sent === undefined ? held : [...new Set(sent ?? [])]
  if (ranges === undefined || ranges.length === 0) return {}
  if (ranges.length > mostRanges) throw badRequest(`dial_extensions: has more than ${mostRanges} of them`)
  for (const range of ranges) {
    if (sipNameForm.test(range)) continue
    const [first = '', last = first, ...more] = range.split('-')
    const isRange = sipExtensionForm.test(first) && sipExtensionForm.test(last) && more.length === 0
    if (!isRange || first.length !== last.length || first > last)
      throw badRequest(
        `dial_extensions: ${cutToLine(range, 'that')} is no extension of 2 to 6 digits without a leading 0, no range of them, as 100-199, and no name`,
      )
    if (first === last && isEmergency(first))
      throw badRequest(`dial_extensions: ${first} is an emergency number`)
  }
  return { dial_extensions: ranges }
}

/** Of extensions with as many digits the order of their digits is that of their numbers. */
export const isInRanges = (ranges: readonly string[], extension: string): boolean =>
  ranges.some((range) => {
    if (sipNameForm.test(range)) return extension === range
    const [first = '', last = first] = range.split('-')
    return extension.length === first.length && extension >= first && extension <= last
  })
