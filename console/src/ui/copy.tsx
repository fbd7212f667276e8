import { useState } from 'react'
import { Button } from './button.tsx'
import './copy.css'

export interface CopyProps {
  /** For the accessible name of the button: "Copy token". */
  label: string
  text: string
}

export function Copy({ label, text }: CopyProps) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(true)
    } catch {
      setCopied(false) // without permission the text is still there to be selected
    }
  }
  return (
    <div className="copy">
      <code>{text}</code>
      <Button aria-label={`Copy ${label}`} onClick={() => void copy()}>
        {copied ? 'Copied' : 'Copy'}
      </Button>
      <span className="sr-only" role="status">
        {copied ? 'Copied' : ''}
      </span>
    </div>
  )
}
