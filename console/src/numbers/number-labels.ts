import type { CarrierKind } from '@switchroom/contract/carriers'
import type { DialResult } from '@switchroom/contract/dialling'
import type { NumberEntry, PathStep, RingState } from '@switchroom/contract/numbers'

export const ringsLabel = (rings: RingState) =>
  ({ ok: 'Active', waiting: 'Waiting', broken: 'Inactive' })[rings]

export const originLabel = (origin: NumberEntry['origin']) =>
  ({
    bought: 'Bought by the platform',
    imported: 'Imported',
    hooked: 'Pointed here by you',
    typed: 'Routed by the operator',
  })[origin]

export const pathStepName = (step: PathStep['step']) =>
  ({ carrier: 'Carrier', fence: 'Network access', rule: 'Routing rule', agent: 'Agent' })[step]

export const kindName = (kind: CarrierKind) =>
  ({ apicarrier: 'Twilio', sip: 'SIP peer', msgapp: 'WhatsApp' })[kind]

/** The label of a carrier in the catalogue, which a hooked number names in `via`. */
export const carrierLabel = (kind: string, name = kind) => (kind === 'apicarrier' ? kindName(kind) : name)

/** A step as the gateway writes it: `<thing>: <verdict>`. */
export function readStep(step: string): { thing: string; verdict: string } {
  const at = step.lastIndexOf(': ')
  return at === -1 ? { thing: step, verdict: '' } : { thing: step.slice(0, at), verdict: step.slice(at + 2) }
}

/** The items of a text, separated by lines, commas or semicolons. */
export const linesOf = (text: string) =>
  text
    .split(/[\n,;]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** A number without the spaces, dashes and brackets of its notation; an extension at its account as it is. */
export const plainNumber = (text: string) =>
  text.includes('@') ? text.trim() : text.replaceAll(/[\s().\-/]/g, '')

/** An extension, such as `201` or `201@pbx`; null for anything else. */
export function extensionIn(text: string): { extension: string; account?: string } | null {
  const [, extension, account] = /^(\d{1,8})(?:@(.+))?$/.exec(plainNumber(text)) ?? []
  if (extension === undefined) return null
  return { extension, ...(account !== undefined && { account }) }
}

/** What to dial, as the API names it: a number, an extension, or a name at an account, such as `desk@pbx`. */
export function calledIn(text: string) {
  const [, name, account] = /^([a-z][\w.-]{0,63})@(.+)$/i.exec(plainNumber(text)) ?? []
  if (name !== undefined && account !== undefined) return { extension: name, account }
  return extensionIn(text) ?? { to: plainNumber(text) }
}

const outcomeNames = {
  answered: 'Answered',
  busy: 'Busy',
  no_answer: 'No answer',
  dial_failed: 'Could not be dialed',
} as const

/** How a placed call went: in words, if it was not answered. */
export function resultName({ outcome, why, account, failed_accounts }: DialResult): string {
  const result = why ?? outcomeNames[outcome]
  if (failed_accounts.length === 0) return result
  const failed = failed_accounts.map((one) => `${one.account}: ${one.why}`).join('; ')
  return `${result} via ${account ?? 'no account'} (before it, ${failed})`
}
