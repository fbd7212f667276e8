import type {
  AddressNeed,
  BuyNumber,
  ImportNumber,
  NumberChannel,
  NumberType,
} from '@switchroom/contract/numbers'
import { extensionIn, linesOf, plainNumber } from './number-labels.ts'

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
  type: NumberType
  areaCode: string
  contains: string
  /** One of the numbers for sale; empty for the first. */
  chosen: string
  /** Of the chosen number. */
  needsAddress: AddressNeed
  address: string
  bundle: string
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
  type: 'local',
  areaCode: '',
  contains: '',
  chosen: '',
  needsAddress: 'none',
  address: '',
  bundle: '',
  move: false,
}

export interface ImportRequest {
  path: string
  body: ImportNumber | BuyNumber
}

export function requestOf(draft: Draft): ImportRequest {
  const agent = draft.agent.trim()
  if (draft.source === 'bought') return { path: '/v1/numbers/buy', body: { ...purchaseOf(draft), agent } }
  const number = plainNumber(draft.number)
  if (draft.source === 'hooked') {
    const from = draft.via === '' ? { networks: linesOf(draft.networks) } : { via: draft.via }
    return { path: '/v1/numbers', body: { number, agent, hooked: true, ...from } }
  }
  const { account, channel, move } = draft
  const extension = extensionIn(draft.number)
  if (extension && channel === 'phone')
    return { path: '/v1/numbers', body: { ...(account && { account }), ...extension, agent } }
  const body = { number, agent, channel, ...(account && { account }), ...(move && { move }) }
  return { path: '/v1/numbers', body }
}

function purchaseOf(draft: Draft): Omit<BuyNumber, 'agent'> {
  const { chosen, address, bundle } = draft
  const { country, type, ...search } = searchOf(draft)
  const wanted = chosen === '' ? search : { number: chosen }
  return { country, type, ...wanted, ...(address && { address }), ...(bundle && { bundle }) }
}

function searchOf(draft: Draft) {
  const [areaCode, contains] = [draft.areaCode.trim(), draft.contains.trim()]
  return {
    country: draft.country.trim(),
    type: draft.type,
    ...(areaCode && { area_code: areaCode }),
    ...(contains && { contains }),
  }
}

/** The search for numbers that the selected address suffices for, or null without a country. */
export function searchPath(draft: Draft): string | null {
  const query = { ...searchOf(draft), ...(draft.address && { address: draft.address }) }
  return query.country === '' ? null : `/v1/numbers/for-sale?${new URLSearchParams(query).toString()}`
}

/** The first missing field before a preview, or null. */
export function missingFrom(draft: Draft): string | null {
  const { source, number, agent, via, networks, country } = draft
  if (source !== 'bought' && number.trim() === '') return 'Select a number first.'
  if (source === 'hooked' && via === '' && networks.trim() === '')
    return 'Enter the networks its calls come from.'
  if (source === 'bought' && country.trim() === '') return 'Enter a country first.'
  if (source === 'bought' && draft.needsAddress !== 'none' && draft.address === '')
    return 'Select an address: this number needs one.'
  if (agent.trim() === '') return 'Enter the agent that answers.'
  return null
}
