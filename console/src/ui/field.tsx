import { cloneElement, useId, type ComponentProps, type ReactElement, type ReactNode } from 'react'
import './field.css'

type Control = ReactElement<{
  id?: string
  'aria-describedby'?: string | undefined
  'aria-invalid'?: boolean | undefined
}>

export interface FieldProps {
  label: ReactNode
  hint?: ReactNode
  error?: ReactNode
  /** One control, which the label is bound to. */
  children: Control
}

/** A label, its control, a hint and an error. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId()
  const described = [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter(Boolean).join(' ')
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {cloneElement(children, {
        id,
        'aria-describedby': described || undefined,
        'aria-invalid': error ? true : undefined,
      })}
      {hint ? (
        <p className="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      ) : null}
      {error ? (
        <p className="field-error" id={`${id}-error`} role="alert">
          {error}
        </p>
      ) : null}
    </div>
  )
}

interface Labelled {
  label: ReactNode
  hint?: ReactNode
  error?: ReactNode
}

type ControlProps<Element extends 'input' | 'textarea' | 'select'> = Omit<
  ComponentProps<Element>,
  'onChange' | 'value' | 'children'
> & { value: string; onChange: (value: string) => void }

export type TextFieldProps = Labelled & ControlProps<'input'>

export function TextField({ label, hint, error, onChange, ...rest }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      <input type="text" className="control" {...rest} onChange={({ target }) => onChange(target.value)} />
    </Field>
  )
}

export type TextAreaProps = Labelled & ControlProps<'textarea'>

export function TextArea({ label, hint, error, onChange, ...rest }: TextAreaProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      <textarea className="control" {...rest} onChange={({ target }) => onChange(target.value)} />
    </Field>
  )
}

export interface Option {
  value: string
  label: string
  disabled?: boolean
}

export type SelectProps = Labelled & ControlProps<'select'> & { options: readonly (string | Option)[] }

export function Select({ label, hint, error, options, onChange, ...rest }: SelectProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      <select className="control" {...rest} onChange={({ target }) => onChange(target.value)}>
        {options.map((option) => {
          const {
            value,
            label: text,
            disabled,
          } = typeof option === 'string' ? { value: option, label: option } : option
          return (
            <option key={value} value={value} disabled={disabled}>
              {text}
            </option>
          )
        })}
      </select>
    </Field>
  )
}

export interface CheckboxProps extends Omit<ComponentProps<'input'>, 'onChange' | 'checked'> {
  label: ReactNode
  hint?: ReactNode
  checked: boolean
  onChange: (checked: boolean) => void
}

export function Checkbox(props: CheckboxProps) {
  return <Choice kind="choice" {...props} />
}

/** Takes effect at once; a checkbox waits for its form. */
export function Switch(props: CheckboxProps) {
  return <Choice kind="choice switch" role="switch" {...props} />
}

function Choice({ kind, label, hint, onChange, ...rest }: CheckboxProps & { kind: string }) {
  const id = useId()
  return (
    <div className={kind}>
      <input
        type="checkbox"
        id={id}
        aria-describedby={hint ? `${id}-hint` : undefined}
        {...rest}
        onChange={({ target }) => onChange(target.checked)}
      />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint ? (
          <p className="field-hint" id={`${id}-hint`}>
            {hint}
          </p>
        ) : null}
      </div>
    </div>
  )
}

export interface SliderProps extends Labelled {
  value: number
  onChange: (value: number) => void
  min?: number
  max?: number
  step?: number
  disabled?: boolean
  /** How the value is read out: `30 %`. */
  format?: (value: number) => string
}

export function Slider({ label, hint, error, value, onChange, format = String, ...rest }: SliderProps) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="slider">
        <input
          type="range"
          id={id}
          value={value}
          aria-valuetext={format(value)}
          aria-describedby={hint ? `${id}-hint` : undefined}
          {...rest}
          onChange={({ target }) => onChange(target.valueAsNumber)}
        />
        <output htmlFor={id}>{format(value)}</output>
      </div>
      {hint ? (
        <p className="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      ) : null}
      {error ? (
        <p className="field-error" role="alert">
          {error}
        </p>
      ) : null}
    </div>
  )
}
