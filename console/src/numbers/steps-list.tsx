import { Badge, type BadgeProps } from '../ui/badge.tsx'
import { readStep } from './number-labels.ts'

const tones: Record<string, BadgeProps['tone']> = { done: 'good', stands: 'good', waiting: 'warn' }

/** What has to stand for a number to ring or to dial, and how each of it does. */
export function Steps({ label, steps }: { label: string; steps: readonly string[] }) {
  return (
    <ol className="steps" aria-label={label}>
      {steps.map((step) => {
        const { thing, verdict } = readStep(step)
        return (
          <li key={step}>
            <Badge tone={tones[verdict] ?? 'neutral'}>{verdict}</Badge>
            <span className="wrap-anywhere">{thing}</span>
          </li>
        )
      })}
    </ol>
  )
}
