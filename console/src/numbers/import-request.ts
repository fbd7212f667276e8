import type { BuyNumber, ImportNumber, NumberChannel } from '@switchroom/contract/numbers'
import { linesOf, plainNumber } from './number-labels.ts'

export type Source = 'account' | 'hooked' | 'bought'

/** The fields of the import form. */
export interface Draft {
  source: Source
  number: string
  agent: string
  /** Empty for the org's only account. */
  account: string
  channel: NumberChannel
  /** Empty for networks of the org's own. */
  via: string
  networks: string
  country: string
  areaCode: string
  move: boolean
}

export const emptyDraft: Draft = {
  source: 'account',
  number: '',
  agent: '',
  account: '',
  channel: 'phone',
  via: '',
  networks: '',
  country: 'US',
  areaCode: '',
  move: false,
}

export interface ImportRequest {
  path: string
  body: ImportNumber | BuyNumber
}

export function requestOf(draft: Draft): ImportRequest {
  const agent = draft.agent.trim()
  if (draft.source === 'bought') {
    const areaCode = draft.areaCode.trim()
    const country = draft.country.trim()
    return { path: '/v1/numbers/buy', body: { country, agent, ...(areaCode && { area_code: areaCode }) } }
  }
  const number = plainNumber(draft.number)
  if (draft.source === 'hooked') {
    const from = draft.via === '' ? { networks: linesOf(draft.networks) } : { via: draft.via }
    return { path: '/v1/numbers', body: { number, agent, hooked: true, ...from } }
  }
  const { account, channel, move } = draft
  const body = { number, agent, channel, ...(account && { account }), ...(move && { move }) }
  return { path: '/v1/numbers', body }
}

/** The first missing field before a preview, or null. */
export function missingFrom({ source, number, agent, via, networks, country }: Draft): string | null {
  if (source !== 'bought' && number.trim() === '') return 'Select a number first.'
  if (source === 'hooked' && via === '' && networks.trim() === '')
    return 'Enter the networks its calls come from.'
  if (source === 'bought' && country.trim() === '') return 'Enter a country first.'
  if (agent.trim() === '') return 'Enter the agent that answers.'
  return null
}
