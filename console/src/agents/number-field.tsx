import { useState } from 'react'
import { TextField, type TextFieldProps } from '../ui/field.tsx'

export interface NumberFieldProps extends Omit<TextFieldProps, 'value' | 'onChange'> {
  value: number | string | undefined
  /** Text that is no number is passed on as typed: the gateway explains what is wrong. */
  onChange: (value: number | string | undefined) => void
}

/** Keeps what is typed, such as `0.`, for as long as it means the value. */
export function NumberField({ value, onChange, ...field }: NumberFieldProps) {
  const [typed, setTyped] = useState('')
  const shown = numberIn(typed) === value ? typed : String(value ?? '')
  return (
    <TextField
      {...field}
      inputMode="decimal"
      value={shown}
      onChange={(said) => {
        setTyped(said)
        onChange(numberIn(said))
      }}
    />
  )
}

const numberIn = (said: string) =>
  said === '' ? undefined : Number.isNaN(Number(said)) ? said : Number(said)
