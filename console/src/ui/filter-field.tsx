import { useEffect, useState } from 'react'
import { TextField } from './field.tsx'

const afterMs = 300

interface FilterFieldProps {
  label: string
  value: string
  onChange: (value: string) => void
  placeholder?: string
  hint?: string
}

/** A text filter, applied when typing pauses. */
export function FilterField({ label, value, onChange, placeholder, hint }: FilterFieldProps) {
  const [text, setText] = useState(value)
  const [known, setKnown] = useState(value)
  // A filter that changes elsewhere, for example by Back, changes the field too.
  if (value !== known) {
    setKnown(value)
    if (value !== text.trim()) setText(value)
  }
  useEffect(() => {
    if (text.trim() === value) return
    const timer = setTimeout(() => onChange(text.trim()), afterMs)
    return () => clearTimeout(timer)
  }, [text, value, onChange])
  return (
    <TextField
      label={label}
      type="search"
      value={text}
      onChange={setText}
      placeholder={placeholder}
      hint={hint}
      maxLength={200}
    />
  )
}
