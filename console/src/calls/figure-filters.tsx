import { Link } from 'wouter'
import { withQuery } from '../api/query-filters.ts'
import { Badge } from '../ui/badge.tsx'
import { Time } from '../ui/time.tsx'
import { reasonName } from './conversation.ts'

/** What a figure of the overview says of the calls behind it. */
export const figureFilters = ['from', 'to', 'reason', 'errors'] as const

type Filters = Record<(typeof figureFilters)[number] | 'agent' | 'state' | 'channel' | 'q', string>

/** In words, with a way out. */
export function FigureFilters({ filters }: { filters: Filters }) {
  const { from, to, reason, errors, ...others } = filters
  if (!from && !to && !reason && !errors) return null
  return (
    <p className="row">
      {reason ? <Badge>{reasonName(reason)}</Badge> : null}
      {errors ? <Badge tone="bad">With errors</Badge> : null}
      {from || to ? (
        <span>
          Opened {from ? <Time epochS={Number(from)} /> : 'ever'} to{' '}
          {to ? <Time epochS={Number(to)} /> : 'now'}
        </span>
      ) : null}
      <Link href={withQuery('/calls', others)}>Show all</Link>
    </p>
  )
}
