import type { Scope } from '@switchroom/contract/scopes'
import { refuseUnlessOpens, refuseVendorKeys, type Caller } from '../foundation/caller.ts'
import { forbidden } from '../foundation/refusals.ts'

/** Who may call a route. Every route declares exactly one of these; tests and OpenAPI read it. */
export type Access =
  | { readonly kind: 'open' }
  | { readonly kind: 'key' }
  | { readonly kind: 'person' }
  | {
      readonly kind: 'scope'
      readonly anyOf: readonly Scope[]
      readonly vendorKeys?: 'write'
      readonly takesChatToken?: true
    }
  | { readonly kind: 'personScope'; readonly anyOf: readonly Scope[] }
  | { readonly kind: 'settingsScope'; readonly anyOf: readonly Scope[] }
  | { readonly kind: 'scopeOrWorker'; readonly anyOf: readonly Scope[]; readonly takesLogToken?: true }
  | { readonly kind: 'appOrFleet' }
  | { readonly kind: 'worker'; readonly isOrgInBody?: true; readonly vendorKeys?: 'read' }
  | { readonly kind: 'fleet' }
  | { readonly kind: 'operator' }
  | { readonly kind: 'signUp' }

/** No key is asked for, and one that is sent is not even looked at. */
export const open: Access = { kind: 'open' }
/** Any live key. */
export const anyKey: Access = { kind: 'key' }
/** A person's key, not a server token. */
export const person: Access = { kind: 'person' }
/** A key that opens one of these scopes. */
export const scope = (...anyOf: [Scope, ...Scope[]]): Access => ({ kind: 'scope', anyOf })
/** A person's key that opens one of these scopes. */
export const personScope = (...anyOf: [Scope, ...Scope[]]): Access => ({ kind: 'personScope', anyOf })
/** A key that opens one of these scopes, or a server token that opens `app`: an org's CI sets agents too. */
export const settingsScope = (...anyOf: [Scope, ...Scope[]]): Access => ({ kind: 'settingsScope', anyOf })
/** A key that opens `calls`, a worker's, or a token that opens the log of the call in the path. */
export const callReader: Access = { kind: 'scopeOrWorker', anyOf: ['calls'], takesLogToken: true }
/** A key that opens `talk`, or a token that opens the chat in the query. */
export const chatter: Access = { kind: 'scope', anyOf: ['talk'], takesChatToken: true }
/** A key that opens `app`, or the fleet's. */
export const appOrFleet: Access = { kind: 'appOrFleet' }
/** A worker's key: a server token that opens `app`, or the fleet's. */
export const worker: Access = { kind: 'worker' }
/** The same, but the fleet's need not name an org: what the body names belongs to one. */
export const openingWorker: Access = { kind: 'worker', isOrgInBody: true }
/** A worker's key, for answers that hold keys of vendors: a server token's maker must hold `providers`. */
export const vendorKeyReader: Access = { kind: 'worker', vendorKeys: 'read' }
/** A person's key that opens `providers`, or a server token that opens it or `app` and whose maker holds it. */
export const vendorKeyWriter: Access = { kind: 'scope', anyOf: ['providers', 'app'], vendorKeys: 'write' }
/** The fleet's key alone, for no org in particular. */
export const fleetOnly: Access = { kind: 'fleet' }
/** The platform's own key, or a person made operator. */
export const operator: Access = { kind: 'operator' }
/** No one while sign-up is shut; with a sign-up key, that key alone. */
export const signUp: Access = { kind: 'signUp' }

/** Open to the platform's own workers. */
export const isOpenToFleet = ({ kind }: Access) =>
  kind === 'worker' || kind === 'appOrFleet' || kind === 'scopeOrWorker'

/** Of the accesses that a key has, what the route asks of its caller. */
export function refuseUnlessAllowed(access: Access, caller: Caller) {
  if ((access.kind === 'person' || access.kind === 'personScope') && caller.kind !== 'person')
    throw forbidden("this door takes a person's key")
  if (access.kind === 'scope' || access.kind === 'personScope') refuseUnlessOpens(caller, access.anyOf)
  if ((access.kind === 'settingsScope' || access.kind === 'scopeOrWorker') && !isAppToken(caller))
    refuseUnlessOpens(caller, access.anyOf)
  if (access.kind === 'worker' && caller.kind === 'person')
    throw forbidden("this door takes a worker's key: no person is handed a key of a vendor")
  if (access.kind === 'worker' || access.kind === 'appOrFleet') refuseUnlessOpens(caller, ['app'])
  if ('vendorKeys' in access && access.vendorKeys) refuseVendorKeys(caller, access.vendorKeys)
}

const isAppToken = ({ kind, scopes }: Caller) => kind === 'server' && scopes.includes('app')
