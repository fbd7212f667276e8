import { Link } from 'wouter'
import { screenSentence } from '../api/screen-sentences.ts'
import { Badge } from '../ui/badge.tsx'
import { counted, tookOf } from '../ui/quantities.ts'
import type { LookUp } from './conversation.ts'

const askers: Readonly<Record<string, string>> = {
  auto: 'Before the answer',
  tool: 'By the model',
  app: 'By the app',
  whole: 'The whole base',
}

/** What was looked up in a base, and from which documents an answer could draw. */
export function KnowledgeLookUp({ lookUp }: { lookUp: LookUp }) {
  const { base, query, passages, bestScore, tookMs, isLate, error, mode } = lookUp
  return (
    <details className="said-tool">
      <summary>
        Knowledge <code>{base}</code> <Outcome lookUp={lookUp} />{' '}
        <span className="soft">{tookOf(tookMs)}</span>
      </summary>
      <dl>
        <dt>Looked up</dt>
        <dd>{query || 'Nothing in particular'}</dd>
        <dt>How</dt>
        <dd>
          {askers[mode] ?? mode}
          {isLate ? ', too late: the turn went on without it' : ''}
        </dd>
        {error ? (
          <>
            <dt>Error</dt>
            <dd>{screenSentence(error)}</dd>
          </>
        ) : null}
        <dt>Found in</dt>
        <dd>
          {passages.length === 0 ? (
            `Nothing${bestScore === null ? '' : ` with the minimum score: the best had ${bestScore.toFixed(2)}`}`
          ) : (
            <ol className="look-up-passages">
              {passages.map(({ name, heading, score }, at) => (
                // oxlint-disable-next-line react/no-array-index-key -- a document may be found several times
                <li key={at}>
                  {[name, ...heading].join(' › ')} <span className="soft">{score.toFixed(2)}</span>
                </li>
              ))}
            </ol>
          )}
        </dd>
        <dt>Base</dt>
        <dd>
          <Link href={`/knowledge/${encodeURIComponent(base)}`}>{base}</Link>
        </dd>
      </dl>
    </details>
  )
}

function Outcome({ lookUp: { passages, isLate, error } }: { lookUp: LookUp }) {
  if (error) return <Badge tone="bad">Failed</Badge>
  if (isLate) return <Badge tone="warn">Late</Badge>
  if (passages.length === 0) return <Badge tone="warn">Nothing found</Badge>
  return <Badge tone="good">{counted(passages.length, 'passage')}</Badge>
}
