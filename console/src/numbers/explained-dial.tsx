import type { ExplainedDial, JudgedGuard } from '@switchroom/contract/dialling'
import { Badge, type BadgeProps } from '../ui/badge.tsx'
import { guardSaw, guardTitle } from './guard-labels.ts'

const verdicts: Record<JudgedGuard['verdict'], Required<Pick<BadgeProps, 'tone'>> & { word: string }> = {
  pass: { tone: 'good', word: 'passes' },
  refuse: { tone: 'bad', word: 'refuses' },
  exempt: { tone: 'neutral', word: 'exempt' },
}

/** What a dial would be told now. */
export function DialVerdict({ dial }: { dial: ExplainedDial }) {
  return (
    <p className={`verdict ${dial.would}`} role="status">
      {dial.would === 'pass' ? (
        `${dial.to} would be dialled from ${dial.from ?? 'a number of the agent'}.`
      ) : (
        <>
          <strong>It would be refused:</strong> {dial.detail}
        </>
      )}
    </p>
  )
}

/** What each guard saw, in the order they are judged. */
export function Guards({ dial }: { dial: ExplainedDial }) {
  return (
    <ol className="guards" aria-label="What each guard saw">
      {dial.guards.map((judged) => (
        <Guard key={judged.guard} judged={judged} />
      ))}
    </ol>
  )
}

function Guard({ judged }: { judged: JudgedGuard }) {
  const { guard, verdict, exempt_by, detail, saw } = judged
  const { tone, word } = verdicts[verdict]
  const { fact } = saw
  return (
    <li className="guard">
      <Badge tone={tone}>{word}</Badge>
      <strong>{guardTitle(guard)}</strong>
      <span className="soft wrap-anywhere">
        {guardSaw(judged)}
        {exempt_by === 'sandbox' ? '; the sandbox is free of it' : ''}
        {exempt_by === 'own_phone' ? '; your own phone is free of it' : ''}
        {fact?.source ? `; from ${fact.source}` : ''}
      </span>
      {detail === null ? null : <span className="guard-detail">{detail}</span>}
    </li>
  )
}
