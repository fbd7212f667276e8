import { useEffect, useRef, type RefObject } from 'react'

const nearEndPx = 120

/** Keeps a scrolling list at its end as it grows, unless the reader scrolled up. */
export function useFollowEnd<Element extends HTMLElement>(grown: unknown): RefObject<Element | null> {
  const list = useRef<Element>(null)
  const followed = useRef<Element>(null)
  const isAtEnd = useRef(true)
  useEffect(() => {
    const element = list.current
    if (!element) return
    if (followed.current !== element) {
      followed.current = element
      isAtEnd.current = true
      const update = () => {
        isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < nearEndPx
      }
      element.addEventListener('scroll', update, { passive: true })
    }
    if (isAtEnd.current) element.scrollTop = element.scrollHeight
  }, [grown])
  return list
}
