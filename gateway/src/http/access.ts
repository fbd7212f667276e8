import type { Scope } from '@switchroom/contract/scopes'

/** Who may call a route. Every route declares exactly one of these; tests and OpenAPI read it. */
export type Access =
  | { readonly kind: 'open' }
  | { readonly kind: 'key' }
  | { readonly kind: 'person' }
  | { readonly kind: 'scope'; readonly anyOf: readonly Scope[] }
  | { readonly kind: 'personScope'; readonly anyOf: readonly Scope[] }
  | { readonly kind: 'operator' }
  | { readonly kind: 'signUp' }

/** No key is asked for, and one that is sent is not even looked at. */
export const open: Access = { kind: 'open' }
/** Any live key. */
export const anyKey: Access = { kind: 'key' }
/** A person's key: a server token names nobody. */
export const person: Access = { kind: 'person' }
/** A key that opens one of these scopes. */
export const scope = (...anyOf: [Scope, ...Scope[]]): Access => ({ kind: 'scope', anyOf })
/** A person's key that opens one of these scopes. */
export const personScope = (...anyOf: [Scope, ...Scope[]]): Access => ({ kind: 'personScope', anyOf })
/** The platform's own key, or a person made operator. */
export const operator: Access = { kind: 'operator' }
/** Nobody while sign-up is shut; with a key of the page in front, that key alone. */
export const signUp: Access = { kind: 'signUp' }
