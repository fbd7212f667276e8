import { useEffect, useId, useRef, type ReactNode } from 'react'
import { Button } from './button.tsx'
import './dialog.css'

export interface DialogProps {
  title: string
  open: boolean
  onClose: () => void
  children: ReactNode
}

const firstField =
  '.dialog-body :is(input, select, textarea):not([disabled], [type=radio]:not(:checked), [hidden])'

/** The browser's dialog element: traps the focus, closes on Escape and restores the focus. */
export function Dialog({ title, open, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const element = dialog.current
    if (!element) return
    if (open && !element.open) {
      element.showModal()
      // The browser would focus the button that closes it.
      element.querySelector<HTMLElement>(firstField)?.focus()
    }
    if (!open && element.open) element.close()
  }, [open])
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby={id} onClose={onClose}>
      {open ? (
        <div className="dialog-body">
          <div className="dialog-head">
            <h2 id={id}>{title}</h2>
            <Button tone="plain" aria-label="Close" onClick={onClose}>
              ✕
            </Button>
          </div>
          {children}
        </div>
      ) : null}
    </dialog>
  )
}
