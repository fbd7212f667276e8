import type { ExplainedDial, JudgedGuard } from '@switchroom/contract/dialling'
import { screenSentence } from '../api/screen-sentences.ts'
import { Badge, type BadgeProps } from '../ui/badge.tsx'
import { guardSaw, guardTitle } from './guard-labels.ts'

const verdicts: Record<JudgedGuard['verdict'], Required<Pick<BadgeProps, 'tone'>> & { label: string }> = {
  pass: { tone: 'good', label: 'Passed' },
  refuse: { tone: 'bad', label: 'Refused' },
  exempt: { tone: 'neutral', label: 'Exempt' },
}

/** The result that a dial would get now. */
export function DialVerdict({ dial }: { dial: ExplainedDial }) {
  return (
    <p className={`verdict ${dial.would}`} role="status">
      {dial.would === 'pass' ? (
        `${dial.to} would be dialed from ${dial.from ?? 'a number of the agent'}.`
      ) : (
        <>
          <strong>This call would be refused.</strong> {screenSentence(dial.detail ?? '')}
        </>
      )}
    </p>
  )
}

/** The result of each guard, in their order. */
export function Guards({ dial }: { dial: ExplainedDial }) {
  return (
    <ol className="guards" aria-label="Checks">
      {dial.guards.map((judged) => (
        <Guard key={judged.guard} judged={judged} />
      ))}
    </ol>
  )
}

function Guard({ judged }: { judged: JudgedGuard }) {
  const { guard, verdict, exempt_by, detail, saw } = judged
  const { tone, label } = verdicts[verdict]
  const { fact } = saw
  return (
    <li className="guard">
      <Badge tone={tone}>{label}</Badge>
      <strong>{guardTitle(guard)}</strong>
      <span className="soft wrap-anywhere">
        {guardSaw(judged)}
        {exempt_by === 'sandbox' ? '; not checked in the sandbox' : ''}
        {exempt_by === 'own_phone' ? '; not checked for your own phone' : ''}
        {fact?.source ? `; source: ${fact.source}` : ''}
      </span>
      {detail === null ? null : <span className="guard-detail">{screenSentence(detail)}</span>}
    </li>
  )
}
