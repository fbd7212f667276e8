import type { CarrierKind } from '@switchroom/contract/carriers'
import type { NumberEntry, PathStep, RingState } from '@switchroom/contract/numbers'

export const ringsSays = (rings: RingState) =>
  ({ ok: 'Rings', waiting: 'Waits for something', broken: 'Does not ring' })[rings]

export const originSays = (origin: NumberEntry['origin']) =>
  ({
    bought: 'Bought by the platform',
    imported: 'From an account',
    hooked: 'Pointed here by you',
    typed: 'Routed by the operator',
  })[origin]

export const pathStepName = (step: PathStep['step']) =>
  ({ carrier: 'Carrier', fence: 'Fence', rule: 'Rule', agent: 'Agent' })[step]

export const kindName = (kind: CarrierKind) =>
  ({ apicarrier: 'Carrier with an API', sip: 'SIP peer', msgapp: 'Messaging platform' })[kind]

/** A step as the gateway writes it: `<thing>: <verdict>`. */
export function readStep(step: string): { thing: string; verdict: string } {
  const at = step.lastIndexOf(': ')
  return at === -1 ? { thing: step, verdict: '' } : { thing: step.slice(0, at), verdict: step.slice(at + 2) }
}

/** What somebody typed or pasted, one item a line. */
export const linesOf = (text: string) =>
  text
    .split(/[\n,;]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** Spaces, dashes and brackets make a number readable and are no part of it. */
export const plainNumber = (text: string) => text.replaceAll(/[\s().\-/]/g, '')
