import { Checkbox } from '../ui/field.tsx'

interface KeepSignedInProps {
  isKept: boolean
  onChange: (isKept: boolean) => void
}

export function KeepSignedIn({ isKept, onChange }: KeepSignedInProps) {
  return (
    <Checkbox
      label="Keep me signed in"
      hint="On this browser, until you sign out."
      checked={isKept}
      onChange={onChange}
    />
  )
}
