import { Checkbox } from '../ui/field.tsx'

interface KeepSignedInProps {
  isKept: boolean
  onChange: (isKept: boolean) => void
}

export function KeepSignedIn({ isKept, onChange }: KeepSignedInProps) {
  return (
    <Checkbox
      label="Keep me signed in"
      hint="Also after this browser is closed."
      checked={isKept}
      onChange={onChange}
    />
  )
}
