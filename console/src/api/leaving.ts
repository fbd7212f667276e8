import { useEffect } from 'react'

/** What would be lost, and how the page asks about it. */
export interface Held {
  title: string
  text: string
  /** The label of the button that leaves. */
  leave: string
}

export const unsavedChanges: Held = {
  title: 'Leave without saving?',
  text: 'Your changes on this page are not saved.',
  leave: 'Leave without saving',
}

const held = new Set<Held>()
const listeners = new Set<() => void>()
let asked: Held | null = null
let answer: ((isOkay: boolean) => void) | null = null

/** While true, leaving the page is asked about first. */
export function useHeld(isHeld: boolean, what: Held): void {
  const { title, text, leave } = what
  useEffect(() => {
    if (!isHeld) return
    const one = { title, text, leave }
    held.add(one)
    return () => {
      held.delete(one)
    }
  }, [isHeld, title, text, leave])
}

export const isHeldHere = (): boolean => held.size > 0

/** Whether the person leaves what would be lost; true at once if nothing would be. */
export function mayLeave(): Promise<boolean> {
  const [first] = held
  if (!first) return Promise.resolve(true)
  answer?.(false)
  return new Promise((resolve) => {
    answer = resolve
    change(first)
  })
}

export function answerLeaving(isOkay: boolean): void {
  if (isOkay) held.clear() // nothing asks again on the way out
  answer?.(isOkay)
  answer = null
  change(null)
}

export const asksToLeave = (): Held | null => asked

export function onLeaving(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function change(next: Held | null): void {
  asked = next
  for (const listener of listeners) listener()
}
