import { useSyncExternalStore } from 'react'
import './toast.css'

interface Shown {
  id: number
  text: string
}

const shownMs = 5000
const listeners = new Set<() => void>()
let toasts: readonly Shown[] = []
let count = 0

/** Confirms an action for a few seconds. Errors are shown beside their form instead. */
export function toast(text: string): void {
  const id = (count += 1)
  change([...toasts, { id, text }])
  setTimeout(() => change(toasts.filter((shown) => shown.id !== id)), shownMs)
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts)
  return (
    <div className="toasts" role="status">
      {shown.map(({ id, text }) => (
        <Toast key={id}>{text}</Toast>
      ))}
    </div>
  )
}

export function Toast({ children }: { children: string }) {
  return <div className="toast">{children}</div>
}

function change(next: readonly Shown[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
