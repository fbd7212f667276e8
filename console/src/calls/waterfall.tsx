import { tookOf } from '../ui/quantities.ts'
import type { Exchange, Span } from './turn-timings.ts'
import './waterfall.css'

const rowHeight = 18
const barHeight = 10

/** The stages of one exchange on one scale; the list below has the same data as text. */
export function Waterfall({ exchange }: { exchange: Exchange }) {
  const { spans, totalMs } = exchange
  const percent = (ms: number) => `${(100 * ms) / Math.max(1, totalMs)}%`
  return (
    <figure className="waterfall">
      <svg className="waterfall-bars" width="100%" height={spans.length * rowHeight} aria-hidden="true">
        {spans.map((span, row) => (
          <g key={keyOf(span)} className={`stage-${stageClass(span.stage)}`}>
            <rect
              x={percent(span.fromMs)}
              y={row * rowHeight + (rowHeight - barHeight) / 2}
              width={percent(Math.max(totalMs / 200, span.toMs - span.fromMs))}
              height={barHeight}
              rx={2}
            />
            {span.firstMs === null ? null : (
              <line
                x1={percent(span.firstMs)}
                x2={percent(span.firstMs)}
                y1={row * rowHeight + 1}
                y2={(row + 1) * rowHeight - 1}
              />
            )}
          </g>
        ))}
      </svg>
      <figcaption>
        <ul>
          {spans.map((span) => (
            <li key={keyOf(span)} className={`stage-${stageClass(span.stage)}`}>
              <strong>{span.name}</strong> {tookOf(span.toMs - span.fromMs)}
              <span className="soft">{aboutOf(span)}</span>
            </li>
          ))}
        </ul>
      </figcaption>
    </figure>
  )
}

const keyOf = ({ stage, name, fromMs, toMs }: Span) => `${stage} ${name} ${fromMs} ${toMs}`
const stageClass = (stage: string) =>
  ['stt', 'llm', 'tts', 'tool', 'knowledge'].includes(stage) ? stage : 'other'

const aboutOf = ({ firstMs, fromMs, detail }: Span) => {
  const first = firstMs === null ? '' : `first output after ${tookOf(firstMs - fromMs)}`
  const about = [first, detail].filter(Boolean).join(', ')
  return about && ` ${about}`
}
