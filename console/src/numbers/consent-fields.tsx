import type { ConsentKind } from '@switchroom/contract/consents'
import { Select, TextField } from '../ui/field.tsx'

/** The type and source of a consent. */
export interface GivenConsent {
  kind: ConsentKind
  source: string
}

export const noConsent: GivenConsent = { kind: 'express', source: '' }

interface ConsentFieldsProps {
  given: GivenConsent
  onChange: (given: GivenConsent) => void
}

export function ConsentFields({ given, onChange }: ConsentFieldsProps) {
  return (
    <div className="fields">
      <Select
        label="Type of consent"
        value={given.kind}
        onChange={(kind) => onChange({ ...given, kind: kind === 'written' ? 'written' : 'express' })}
        options={[
          { value: 'express', label: 'Express' },
          { value: 'written', label: 'Written' },
        ]}
      />
      <TextField
        label="Source"
        value={given.source}
        onChange={(source) => onChange({ ...given, source })}
        maxLength={500}
        placeholder="Form on the website"
        required
      />
    </div>
  )
}
