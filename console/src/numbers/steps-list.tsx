import { Badge, type BadgeProps } from '../ui/badge.tsx'
import { readStep } from './number-labels.ts'

const states: Record<string, { tone: NonNullable<BadgeProps['tone']>; label: string }> = {
  done: { tone: 'good', label: 'Done' },
  stands: { tone: 'good', label: 'Ready' },
  waiting: { tone: 'warn', label: 'Waiting' },
  'to do': { tone: 'neutral', label: 'To do' },
}

/** The setup steps of a number or of outbound calls, each with its state. */
export function Steps({ label, steps }: { label: string; steps: readonly string[] }) {
  return (
    <ol className="steps" aria-label={label}>
      {steps.map((step) => {
        const { thing, verdict } = readStep(step)
        const { tone, label: state } = states[verdict] ?? { tone: 'neutral', label: verdict }
        return (
          <li key={step}>
            <Badge tone={tone}>{state}</Badge>
            <span className="wrap-anywhere">{thing}</span>
          </li>
        )
      })}
    </ol>
  )
}
