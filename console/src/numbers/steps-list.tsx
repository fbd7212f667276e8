import { Badge, type BadgeProps } from '../ui/badge.tsx'
import { readStep } from './number-labels.ts'

const tones: Record<string, BadgeProps['tone']> = { done: 'good', stands: 'good', waiting: 'warn' }

/** The setup steps of a number or of outbound calls, each with its state. */
export function Steps({ label, steps }: { label: string; steps: readonly string[] }) {
  return (
    <ol className="steps" aria-label={label}>
      {steps.map((step) => {
        const { thing, verdict } = readStep(step)
        return (
          <li key={step}>
            <Badge tone={tones[verdict] ?? 'neutral'}>{verdict === 'stands' ? 'ready' : verdict}</Badge>
            <span className="wrap-anywhere">{thing}</span>
          </li>
        )
      })}
    </ol>
  )
}
