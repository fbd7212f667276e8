import type { Environment } from '@switchroom/contract/scopes'
import { useSyncExternalStore } from 'react'
import { environmentIn } from './environment.ts'

/** The key of this browser, and the environment that the address names. The key is in no URL and in no cookie. */
export interface Session {
  key: string | null
  env: Environment
  /** Why a sign-in was refused or the session ended; shown until the next sign-in. */
  ended: string | null
}

/** How long this browser keeps a key: until sign-out, until it is closed, or in one tab alone. */
export type Lasting = 'until sign-out' | 'until the browser closes' | 'in this tab'

const keyName = 'svc.key'
const envName = 'svc.env'
const lastingName = 'svc.lasting'
/** A cookie without a secret that ends with the browser, and with it what must not outlast it. */
const openName = 'svc.open'
const listeners = new Set<() => void>()

let session: Session = { key: restoredKey(), env: lastEnvironment(), ended: null }

/** A key that is not of one tab alone is shared by every tab of this browser. */
export function signIn(key: string, lasting: Lasting): void {
  if (lasting === 'in this tab') sessionStorage.setItem(keyName, key)
  else {
    sessionStorage.removeItem(keyName)
    if (lasting === 'until the browser closes') document.cookie = openCookie()
    localStorage.setItem(lastingName, lasting)
    localStorage.setItem(keyName, key)
  }
  sessionStorage.removeItem(envName)
  change({ key, ended: null })
}

/** Replaces the key of the same person, kept as the one before. */
export function changeKey(key: string): void {
  signIn(key, isOfTab() ? 'in this tab' : sharedLasting())
}

/** Signs out every tab that shares the key. */
export function signOut(ended: string | null = null): void {
  if (!isOfTab()) forgetSharedKey()
  sessionStorage.removeItem(keyName)
  change({ key: null, ended })
}

/** The gateway no longer takes the key. Another tab may have a newer one. */
export function endSession(ended: string): void {
  const newer = localStorage.getItem(keyName)
  if (isOfTab() || newer === null || newer === session.key) signOut(ended)
  else change({ key: newer })
}

/** Shows a refused sign-in to a person who stays signed in; null hides it. */
export function showRefusal(ended: string | null): void {
  change({ ended })
}

export function currentSession(): Session {
  const env = environmentIn(location.pathname) ?? session.env
  if (env !== session.env) {
    session = { ...session, env }
    sessionStorage.setItem(envName, env)
  }
  return session
}

export function useSession(): Session {
  return useSyncExternalStore(subscribe, currentSession)
}

const isOfTab = () => sessionStorage.getItem(keyName) !== null

function sharedLasting(): Lasting {
  const lasting = localStorage.getItem(lastingName)
  return lasting === 'until the browser closes' ? lasting : 'until sign-out'
}

const openCookie = () =>
  `${openName}=1; Path=/; SameSite=Strict${location.protocol === 'https:' ? '; Secure' : ''}`

function restoredKey(): string | null {
  const ofTab = sessionStorage.getItem(keyName)
  if (ofTab !== null) return ofTab
  const hasClosed = !document.cookie.split('; ').includes(`${openName}=1`)
  if (hasClosed && sharedLasting() === 'until the browser closes') forgetSharedKey()
  return localStorage.getItem(keyName)
}

/** Where a tab goes whose address names no environment. */
function lastEnvironment(): Environment {
  return sessionStorage.getItem(envName) === 'production' ? 'production' : 'sandbox'
}

function forgetSharedKey(): void {
  localStorage.removeItem(keyName)
  localStorage.removeItem(lastingName)
}

function change(changed: Partial<Session>): void {
  session = { ...session, env: environmentIn(location.pathname) ?? lastEnvironment(), ...changed }
  for (const listener of listeners) listener()
}

const moves = ['popstate', 'pushState', 'replaceState'] // the router announces its own by the last two

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  for (const move of moves) addEventListener(move, listener)
  return () => {
    listeners.delete(listener)
    for (const move of moves) removeEventListener(move, listener)
  }
}

// Tabs that share a key sign out together, and a tab that waits at the sign-in gets the key of another.
globalThis.addEventListener('storage', ({ key: name, newValue }) => {
  if (name !== null && name !== keyName) return
  if (isOfTab()) return
  const shared = name === null ? localStorage.getItem(keyName) : newValue
  if (shared === null && session.key !== null) change({ key: null, ended: null })
  else if (shared !== null && session.key === null) change({ key: shared, ended: null })
})
