import { withoutAccount } from '@switchroom/contract/extensions'
import type { FenceTerms } from '@switchroom/contract/trunk-terms'

type Numbering = Pick<FenceTerms, 'number_form' | 'country_code' | 'trunk_prefix' | 'international_prefix'>

const usualInternationalPrefix = '00'

/** A number as a trunk writes it; what is no E.164 number, such as an extension, stays as it is, without its account. */
export function writtenNumber(number: string, numbering: Numbering): string {
  const digits = /^\+(\d+)$/.exec(number)?.[1]
  const { number_form, country_code = '', trunk_prefix = '' } = numbering
  if (digits === undefined || number_form === undefined || number_form === 'e164')
    return withoutAccount(number)
  if (number_form === 'plain') return digits
  if (digits.startsWith(country_code)) return `${trunk_prefix}${digits.slice(country_code.length)}`
  return `${numbering.international_prefix ?? usualInternationalPrefix}${digits}`
}

/** E.164 of what a trunk wrote; null if it is none. */
export function readWritten(written: string, numbering: Numbering): string | null {
  const digits = written.replaceAll(/[-.() ]/g, '')
  const { number_form, international_prefix = usualInternationalPrefix } = numbering
  if (number_form !== 'national' || digits.startsWith('+')) return e164(digits.replace(/^(?:\+|00)/, ''))
  if (digits.startsWith(international_prefix)) return e164(digits.slice(international_prefix.length))
  const { country_code = '', trunk_prefix = '' } = numbering
  if (digits.startsWith(trunk_prefix)) return e164(`${country_code}${digits.slice(trunk_prefix.length)}`)
  return e164(digits)
}

const e164 = (digits: string): string | null => (/^[1-9]\d{4,14}$/.test(digits) ? `+${digits}` : null)
