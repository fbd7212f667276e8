import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, type ReactNode } from 'react'
import './virtual-list.css'

export interface VirtualListProps<Item> {
  label: string
  items: readonly Item[]
  itemKey: (item: Item) => string
  /** Height of a row before it is measured. */
  rowHeightPx: number
  render: (item: Item) => ReactNode
  /** Called when the end is visible, to load the next page. */
  onEnd?: () => void
}

/** A list of any length that renders only its visible rows. */
export function VirtualList<Item>({
  label,
  items,
  itemKey,
  rowHeightPx,
  render,
  onEnd,
}: VirtualListProps<Item>) {
  const frame = useRef<HTMLDivElement>(null)
  const list = useVirtualizer({
    count: items.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeightPx,
    getItemKey: (at) => {
      const item = items[at]
      return item === undefined ? at : itemKey(item)
    },
    overscan: 8,
  })
  const shown = list.getVirtualItems()
  const last = shown.at(-1)?.index ?? -1
  const isAtEnd = items.length > 0 && last >= items.length - 1
  useEffect(() => {
    if (isAtEnd) onEnd?.()
  }, [isAtEnd, items.length, onEnd])
  return (
    // A scrolling frame takes the focus, so that the arrow keys move it.
    <div ref={frame} className="virtual-list" tabIndex={0} role="region" aria-label={label}>
      <ul className="virtual-list-all" style={{ height: list.getTotalSize() }}>
        {shown.map(({ index, key, start }) => {
          const item = items[index]
          return (
            <li
              key={key}
              ref={list.measureElement}
              data-index={index}
              aria-setsize={items.length}
              aria-posinset={index + 1}
              className="virtual-list-item"
              style={{ transform: `translateY(${start}px)` }}
            >
              {item === undefined ? null : render(item)}
            </li>
          )
        })}
      </ul>
    </div>
  )
}
