import type { Environment } from '@switchroom/contract/scopes'
import { useSyncExternalStore } from 'react'

/** Who this tab is signed in as, and in which environment it acts. The key is in no URL and in no cookie. */
export interface Session {
  key: string | null
  env: Environment
  /** What a sign-in was refused with, or why the gateway took the key back. It stands until the next sign-in. */
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

/** A key in the tab dies with the tab; one that is kept is shared with the other tabs of this browser. */
export function signIn(key: string, { isKept }: { isKept: boolean }): void {
  forgetKey()
  const storage = isKept ? localStorage : sessionStorage
  storage.setItem(keyName, key)
  change({ key, env: 'sandbox', ended: null })
}

/** Another key for the same person: kept where the last one was. */
export function changeKey(key: string): void {
  signIn(key, { isKept: localStorage.getItem(keyName) !== null })
}

export function signOut(ended: string | null = null): void {
  forgetKey()
  change({ key: null, env: 'sandbox', ended })
}

/** A sign-in was refused to somebody who is signed in and stays so; null when they have read it. */
export function tellRefusal(ended: string | null): void {
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

function forgetKey(): void {
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

// A tab whose key was kept goes with the tab that signs out.
globalThis.addEventListener('storage', ({ key, oldValue, newValue }) => {
  if (key === keyName && newValue === null && oldValue === session.key) signOut()
})
