import type { Environment } from '@switchroom/contract/scopes'
import { useSyncExternalStore } from 'react'

/** The key and environment of this tab. The key is in no URL and in no cookie. */
export interface Session {
  key: string | null
  env: Environment
  /** Why a sign-in was refused or the session ended; shown until the next sign-in. */
  ended: string | null
}

const keyName = 'svc.key'
const envName = 'svc.env'
const listeners = new Set<() => void>()

let session: Session = {
  key: sessionStorage.getItem(keyName) ?? localStorage.getItem(keyName),
  env: sessionStorage.getItem(envName) === 'production' ? 'production' : 'sandbox',
  ended: null,
}

/** A kept key is shared by all tabs of this browser; another ends with its tab. */
export function signIn(key: string, { isKept }: { isKept: boolean }): void {
  removeKey()
  const storage = isKept ? localStorage : sessionStorage
  storage.setItem(keyName, key)
  change({ key, env: 'sandbox', ended: null })
}

/** Replaces the key of the same person, in the same storage. */
export function changeKey(key: string): void {
  signIn(key, { isKept: localStorage.getItem(keyName) !== null })
}

export function signOut(ended: string | null = null): void {
  removeKey()
  change({ key: null, env: 'sandbox', ended })
}

/** Shows a refused sign-in to a person who stays signed in; null hides it. */
export function showRefusal(ended: string | null): void {
  change({ ended })
}

export function chooseEnvironment(env: Environment): void {
  change({ env })
}

export function currentSession(): Session {
  return session
}

export function useSession(): Session {
  return useSyncExternalStore(subscribe, currentSession)
}

function removeKey(): void {
  sessionStorage.removeItem(keyName)
  localStorage.removeItem(keyName)
}

function change(changed: Partial<Session>): void {
  session = { ...session, ...changed }
  sessionStorage.setItem(envName, session.env)
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

// Tabs that share a kept key sign out together.
globalThis.addEventListener('storage', ({ key, oldValue, newValue }) => {
  if (key === keyName && newValue === null && oldValue === session.key) signOut()
})
