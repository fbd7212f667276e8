import type { ConsentKind } from '@switchroom/contract/consents'
import { Select, TextField } from '../ui/field.tsx'

/** How and where somebody agreed to be called, as it is written down. */
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
        label="How they agreed"
        value={given.kind}
        onChange={(kind) => onChange({ ...given, kind: kind === 'written' ? 'written' : 'express' })}
        options={[
          { value: 'express', label: 'Expressly' },
          { value: 'written', label: 'In writing' },
        ]}
      />
      <TextField
        label="Where they agreed"
        value={given.source}
        onChange={(source) => onChange({ ...given, source })}
        maxLength={500}
        placeholder="Form on the web site"
        required
      />
    </div>
  )
}
