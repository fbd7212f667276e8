import { useEffect, useRef } from 'react'

const stepS = 5

interface PlayerKeys {
  /** Before that, the keys scroll the page as ever, unless the player has the focus. */
  isLoaded: boolean
  toggle: () => void
  moveBy: (seconds: number) => void
}

/** Space and the arrows, wherever they mean nothing else. */
export function usePlayerKeys(keys: PlayerKeys): void {
  const current = useRef(keys)
  useEffect(() => {
    current.current = keys
  })
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { isLoaded, toggle, moveBy } = current.current
      if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return
      const { target } = event
      const at = target instanceof Element ? target : null
      const isInPlayer = at?.closest('[data-player]') != null
      if (!isInPlayer && (!isLoaded || at?.closest('dialog'))) return
      const isPosition = at?.matches('[data-player] input[type=range]') ?? false
      if (!isPosition && at?.closest('input, textarea, select, [contenteditable]')) return
      const seconds = event.key === 'ArrowLeft' ? -stepS : event.key === 'ArrowRight' ? stepS : 0
      const isSpace = event.key === ' ' && !at?.closest('button, a, summary')
      if (seconds === 0 && !isSpace) return
      event.preventDefault()
      if (isSpace) toggle()
      else moveBy(seconds)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}
