import { knobTable } from '@switchroom/contract/knobs'
import type { AnsweringMachine } from '@switchroom/contract/settings'
import { Select, TextArea } from '../ui/field.tsx'

const { members } = knobTable.answering_machine.shape

const actionLabels: Record<NonNullable<AnsweringMachine['action']>, string> = {
  go_on: 'Talk to it',
  hang_up: 'Hang up',
  leave_message: 'Leave a message after the beep',
}

interface AnsweringMachineEditorProps {
  inherited: string
  error: string | undefined
  disabled: boolean
  value: AnsweringMachine | undefined
  change: (value: AnsweringMachine | undefined) => void
}

/** What happens if a machine answers a call that the agent dialled. */
export function AnsweringMachineEditor(props: AnsweringMachineEditorProps) {
  const { inherited, error, disabled, value, change } = props
  const { message } = value ?? {}
  const rest = message === undefined ? {} : { message }
  return (
    <div className="stack knob-parts">
      <Select
        label={members.action.label}
        error={error}
        disabled={disabled}
        value={value?.action ?? ''}
        onChange={(said) => {
          const action = members.action.shape.choices.find((choice) => choice === said)
          change(action && { action, ...(action === 'leave_message' && rest) })
        }}
        options={[
          { value: '', label: inherited },
          ...members.action.shape.choices.map((choice) => ({ value: choice, label: actionLabels[choice] })),
        ]}
      />
      {value?.action === 'leave_message' ? (
        <TextArea
          label={members.message.label}
          hint="Without a message the agent says the text of its greeting."
          rows={3}
          disabled={disabled}
          value={message ?? ''}
          onChange={(said) => change({ action: 'leave_message', ...(said !== '' && { message: said }) })}
        />
      ) : null}
    </div>
  )
}
