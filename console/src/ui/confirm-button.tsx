import { useState, type ReactNode } from 'react'
import { Button, type ButtonProps } from './button.tsx'

export interface ConfirmButtonProps extends Omit<ButtonProps, 'onClick'> {
  /** The label of the second click. */
  confirmLabel: ReactNode
  onConfirm: () => void
}

/** Needs a second click before it does something irreversible; a double click does not count as two. */
export function ConfirmButton({ confirmLabel, onConfirm, children, ...rest }: ConfirmButtonProps) {
  const [isAsking, setAsking] = useState(false)
  return (
    <Button
      tone="danger"
      {...rest}
      onBlur={() => setAsking(false)}
      onClick={({ detail: clicks }) => {
        if (isAsking && clicks < 2) onConfirm()
        setAsking(!isAsking || clicks > 1)
      }}
    >
      {isAsking ? confirmLabel : children}
    </Button>
  )
}
