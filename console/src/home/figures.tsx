import type { Overview } from '@switchroom/contract/insights'
import { Link } from 'wouter'
import { callsLink, changeText, countText, creditsText, waitText } from './figure-labels.ts'

interface Card {
  title: string
  value: string
  href: string
  /** Beside the period before. */
  change: string
  before: string
}

/** The totals of a period. */
export function FigureCards({ overview, agent }: { overview: Overview; agent: string }) {
  const { now, before, live } = overview
  const all = callsLink(overview, agent)
  const card = (
    title: string,
    of: number | null,
    then: number | null,
    text: (value: number) => string,
    href = all,
  ) => ({
    title,
    value: of === null ? '–' : text(of),
    href,
    change: changeText(of, then),
    before: then === null ? '' : text(then),
  })
  const cards: Card[] = [
    card('Calls', now.calls, before.calls, countText),
    card('Minutes', now.minutes, before.minutes, countText),
    { title: 'Live now', value: countText(live), href: '/calls/live', change: '', before: '' },
    card('Latency p50', now.heard_p50_ms, before.heard_p50_ms, waitText),
    card('Latency p95', now.heard_p95_ms, before.heard_p95_ms, waitText),
    card('Errors', now.errors, before.errors, countText, callsLink(overview, agent, { errors: 'true' })),
    card('Credits', now.credits, before.credits, creditsText),
  ]
  return (
    <ul className="figure-cards" aria-label="Figures">
      {cards.map(({ title, value, href, change, before: then }) => (
        <li key={title}>
          <Link href={href} className="figure-card">
            <span className="figure-title">{title}</span>
            <strong className="figure-value">{value}</strong>
            <span className="soft figure-change">
              {change}
              {then === '' ? '' : ` (${then})`}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
