import type { Entry } from '@switchroom/contract/log'
import { Badge } from '../ui/badge.tsx'
import { Section } from '../ui/page.tsx'
import { numberIn, textIn } from './conversation.ts'

interface Way {
  mos: number
  lossPercent: number
  jitterMs: number
}

/** How the phone line is, by the newest of the log's summaries; nothing if the log has none. */
export function LineQuality({ entries }: { entries: readonly Entry[] }) {
  const line = entries.findLast(({ type, data }) => type === 'metrics' && data['stage'] === 'line')?.data
  if (!line) return null
  const roundTripMs = numberIn(line['round_trip_ms'])
  return (
    <Section title="Phone line">
      <dl className="facts">
        <WayShown name="From the caller" way={wayIn(line['heard'])} />
        <WayShown name="To the caller" way={wayIn(line['sent'])} />
        <dt>Round trip</dt>
        <dd>{roundTripMs === null ? 'Unknown' : `${roundTripMs} ms`}</dd>
        <dt>Codec</dt>
        <dd>{textIn(line['codec'])}</dd>
      </dl>
    </Section>
  )
}

function WayShown({ name, way }: { name: string; way: Way | null }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        {way === null ? (
          'Not reported'
        ) : (
          <>
            MOS {way.mos.toFixed(1)} {way.mos < 3.1 ? <Badge tone="warn">Bad</Badge> : null}
            <div className="soft">
              {way.lossPercent} % lost, jitter {way.jitterMs} ms
            </div>
          </>
        )}
      </dd>
    </>
  )
}

function wayIn(value: unknown): Way | null {
  if (typeof value !== 'object' || value === null) return null
  const figures = new Map(Object.entries(value))
  const mos = numberIn(figures.get('mos'))
  if (mos === null) return null
  return {
    mos,
    lossPercent: numberIn(figures.get('loss_percent')) ?? 0,
    jitterMs: numberIn(figures.get('jitter_ms')) ?? 0,
  }
}
