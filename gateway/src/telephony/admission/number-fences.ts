import type { Admission, Fence } from '@switchroom/media/plane'
import type { NumberOrigin } from '@switchroom/contract/numbers'
import type { Environment } from '@switchroom/contract/scopes'
import type { FenceTerms } from '@switchroom/contract/trunk-terms'
import type { AccountFields } from '../carriers/account-fields.ts'
import { fenceTerms } from '../carriers/trunk-fields.ts'

/** The carrier whose API the platform drives, as the catalogue calls it. */
export const driven = 'apicarrier'

export type NetworkState = 'waiting' | 'approved' | 'refused'

/** Where the calls of a number come from, as its row says. */
export interface Placed {
  number: string
  origin: NumberOrigin
  via: string | null
  account: string | null
  /** Of its account; null if it has none. */
  account_kind: 'apicarrier' | 'sip' | 'msgapp' | null
  /** The SIP peer's, or those it was hooked from. */
  networks: readonly string[]
  /** Hooked, and the operator has not approved it yet. */
  awaits_approval: boolean
}

/** Where calls come from: a carrier of the catalogue, a SIP peer of the org, or the networks that the org hooked the number from. */
export type Source =
  | { from: 'catalogue'; kind: string }
  | { from: 'peer'; account: string }
  | { from: 'own'; number: string }

export function sourceOf({ number, origin, via, account, account_kind, networks }: Placed): Source {
  if (account !== null && account_kind !== driven) return { from: 'peer', account }
  if (origin === 'hooked' && networks.length > 0) return { from: 'own', number }
  return { from: 'catalogue', kind: via ?? driven }
}

/** Whether the platform itself points the number here at the carrier. */
export const isDriven = ({ origin, account_kind }: Pick<Placed, 'origin' | 'account_kind'>) =>
  origin === 'bought' || account_kind === driven

/** Of an org in an environment. */
export interface Whose {
  org: string
  env: Environment
}

export const ruleName = ({ org, env }: Whose) => `${org}/${env}`

export function fenceName(whose: Whose, source: Source): string {
  if (source.from === 'peer') return `${ruleName(whose)}/sip/${source.account}`
  if (source.from === 'own') return `${ruleName(whose)}/own/${source.number}`
  return `${ruleName(whose)}/${source.kind}`
}

/** What is known of networks and peers when the fences of an org are drawn. */
export interface FenceFacts {
  /** Of a carrier of the catalogue. */
  networksOf: (kind: string) => readonly string[] | undefined
  /** Of the org's own networks; `waiting` until the operator decides. */
  stateOf: (network: string) => NetworkState
  /** What a SIP peer proves itself with, and how it sends its calls. */
  peerOf: (account: string) => Pick<Fence, 'pair'> & FenceTerms
}

/** What its fields say of a SIP peer's fence; nothing of any other account's. */
export function peerTerms(account: AccountFields | undefined): Pick<Fence, 'pair'> & FenceTerms {
  if (account?.kind !== 'sip') return {}
  const { username, password, auth } = account
  return { ...(auth !== 'ip' && { pair: { username, password } }), ...fenceTerms(account) }
}

/** A number at its fence. */
export interface AtFence {
  name: string
  /** Those that may call it. */
  networks: readonly string[]
  /** Its own that the operator has not approved, refused ones included. */
  unapproved: readonly string[]
  /** Whether calls may come to it. */
  isOpen: boolean
  /** What its SIP peer proves itself with, and how it sends its calls; empty for any other source. */
  peer: Pick<Fence, 'pair'> & FenceTerms
}

export function atFence(whose: Whose, placed: Placed, facts: FenceFacts): AtFence {
  const source = sourceOf(placed)
  const isCatalogue = source.from === 'catalogue'
  const networks = isCatalogue
    ? (facts.networksOf(source.kind) ?? [])
    : placed.networks.filter((network) => facts.stateOf(network) === 'approved')
  return {
    name: fenceName(whose, source),
    networks,
    unapproved: isCatalogue ? [] : placed.networks.filter((network) => !networks.includes(network)),
    isOpen: networks.length > 0 && !placed.awaits_approval,
    peer: source.from === 'peer' ? facts.peerOf(source.account) : {},
  }
}

/** Everything to admit of these numbers: a fence without networks or numbers is left out. */
export function wantedAdmission(
  whose: Whose,
  fleet: string,
  numbers: readonly Placed[],
  facts: FenceFacts,
): Admission {
  const fences = new Map<string, Fence & { numbers: string[] }>()
  for (const placed of numbers) {
    const { name, networks, isOpen, peer } = atFence(whose, placed, facts)
    if (!isOpen) continue
    const others = fences.get(name)?.numbers ?? []
    others.push(placed.number)
    fences.set(name, { name, networks, numbers: others, ...peer })
  }
  return { ...whose, fleet, fences: [...fences.values()] }
}
