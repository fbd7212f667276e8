import type { Passage, SearchAnswer } from '@switchroom/contract/knowledge'
import { longestQuery, mostPassages } from '@switchroom/contract/knowledge-names'
import { useState, type FormEvent } from 'react'
import { ask, path } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import { Empty, Refusal } from '../ui/feedback.tsx'
import { TextField } from '../ui/field.tsx'
import { Section } from '../ui/page.tsx'
import { counted, tookOf } from '../ui/quantities.ts'
import { scoreOf } from './knowledge-labels.tsx'

/** What an agent would be given for a question. */
export function SearchBox({ base }: { base: string }) {
  const [query, setQuery] = useState('')
  const [k, setK] = useState('5')
  const [minScore, setMinScore] = useState('0')
  const [answer, setAnswer] = useState<SearchAnswer | null>(null)
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const search = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(null)
    try {
      const body = { query, k: Number(k), min_score: Number(minScore) }
      setAnswer(await ask<SearchAnswer>('post', path`/v1/bases/${base}/search`, body))
    } catch (refused) {
      setAnswer(null)
      setError(refused instanceof Error ? refused : new Error(String(refused)))
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <Section title="Search" hint="What an agent would find for a question.">
        <form className="stack" role="search" onSubmit={(event) => void search(event)}>
          <TextField
            label="Question"
            type="search"
            required
            maxLength={longestQuery}
            value={query}
            onChange={setQuery}
          />
          <div className="fields">
            <TextField
              label="Passages"
              type="number"
              min={1}
              max={mostPassages}
              required
              value={k}
              onChange={setK}
            />
            <TextField
              label="Minimum score"
              type="number"
              min={0}
              max={1}
              step={0.01}
              required
              value={minScore}
              onChange={setMinScore}
            />
          </div>
          <div className="row">
            <Button tone="primary" type="submit" busy={busy}>
              Search
            </Button>
          </div>
        </form>
        <Refusal error={error} />
      </Section>
      {answer ? <Found answer={answer} /> : null}
    </>
  )
}

function Found({ answer: { passages, by, ms, highlights } }: { answer: SearchAnswer }) {
  const how = by === 'both' ? 'full text and embeddings' : 'full text'
  return (
    <>
      <p className="soft" role="status">
        {counted(passages.length, 'passage')} by {how} in {tookOf(ms)}
      </p>
      {passages.length === 0 ? (
        <Empty title="Nothing found">
          <p>Ask in other words, or lower the minimum score.</p>
        </Empty>
      ) : (
        <ol className="passages" aria-label="Passages">
          {passages.map((passage, at) => (
            <li key={`${passage.document} ${passage.chunk}`}>
              <PassageShown passage={passage} highlights={highlights[at] ?? []} />
            </li>
          ))}
        </ol>
      )}
    </>
  )
}

interface PassageShownProps {
  passage: Passage
  highlights: readonly (readonly [number, number])[]
}

function PassageShown({ passage: { name, heading, text, score }, highlights }: PassageShownProps) {
  return (
    <article className="passage">
      <header className="row">
        <div className="grow">
          <strong className="wrap-anywhere">{name}</strong>
          {heading.length > 0 ? <div className="soft wrap-anywhere">{heading.join(' › ')}</div> : null}
        </div>
        <span className="passage-score">
          <meter aria-label="Score" min={0} max={1} value={score} /> {scoreOf(score)}
        </span>
      </header>
      <p className="passage-text">
        {partsOf(text, highlights).map(({ from, part, isMarked }) =>
          isMarked ? <mark key={from}>{part}</mark> : <span key={from}>{part}</span>,
        )}
      </p>
    </article>
  )
}

interface Part {
  from: number
  part: string
  isMarked: boolean
}

/** The text cut at its highlights; those that overlap or lie outside are left out. */
function partsOf(text: string, highlights: PassageShownProps['highlights']): Part[] {
  const parts: Part[] = []
  let at = 0
  const add = (to: number, isMarked: boolean) => {
    if (to > at) parts.push({ from: at, part: text.slice(at, to), isMarked })
    at = Math.max(at, to)
  }
  for (const [from, to] of highlights.toSorted(([a], [b]) => a - b)) {
    if (from < at || to > text.length) continue
    add(from, false)
    add(to, true)
  }
  add(text.length, false)
  return parts
}
