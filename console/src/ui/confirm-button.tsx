import { useState, type ReactNode } from 'react'
import { Button, type ButtonProps } from './button.tsx'

export interface SureButtonProps extends Omit<ButtonProps, 'onClick'> {
  /** What it says when it asks once more. */
  sure: ReactNode
  onSure: () => void
}

/** Asks once more before it does what cannot be taken back; the second half of a double click is no answer. */
export function SureButton({ sure, onSure, children, ...rest }: SureButtonProps) {
  const [isAsking, setAsking] = useState(false)
  return (
    <Button
      tone="danger"
      {...rest}
      onBlur={() => setAsking(false)}
      onClick={({ detail: clicks }) => {
        if (isAsking && clicks < 2) onSure()
        setAsking(!isAsking || clicks > 1)
      }}
    >
      {isAsking ? sure : children}
    </Button>
  )
}
