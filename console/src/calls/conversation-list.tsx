import { useState } from 'react'
import { screenSentence } from '../api/screen-sentences.ts'
import { Badge } from '../ui/badge.tsx'
import { useFollowEnd } from '../ui/follow-end.ts'
import { Time } from '../ui/time.tsx'
import { lengthOf, tookOf } from '../ui/quantities.ts'
import { errorName } from './conversation.ts'
import type { Item, SaidTurn, ToolRun } from './conversation.ts'
import '../ui/conversation.css'
import type { Exchange } from './turn-timings.ts'
import { KnowledgeLookUp } from './knowledge-look-up.tsx'
import { SaidAt, SpokenTurn } from './spoken-turn.tsx'
import { Waterfall } from './waterfall.tsx'

interface ConversationProps {
  items: readonly Item[]
  exchanges: readonly Exchange[]
  startedAt: number
  /** The partial transcript of both sides. */
  now: { hears: string; says: string }
  contact: string
  agent: string
  nameOf: (by: string) => string
}

/** The log of a call as a conversation, scrolled to its end while the end is visible. */
export function Conversation(props: ConversationProps) {
  const { items, exchanges, startedAt, now, contact, agent, nameOf } = props
  const list = useFollowEnd<HTMLOListElement>(items.length + now.hears.length + now.says.length)
  const ofTurn = new Map(exchanges.map((exchange) => [exchange.seq, exchange]))
  const speaker = (turn: SaidTurn) =>
    turn.who === 'contact' ? contact : turn.who === 'agent' ? agent : nameOf(turn.by ?? '')
  return (
    <ol className="conversation" ref={list} aria-label="Conversation">
      {items.map((item) => (
        <li key={`${item.seq} ${item.kind === 'tool' ? item.id : ''}`} className={`said ${classOf(item)}`}>
          {item.kind === 'turn' ? (
            <SpokenTurn turn={item} speaker={speaker(item)} at={lengthOf(item.ts - startedAt)} />
          ) : (
            <SaidAt at={lengthOf(item.ts - startedAt)} />
          )}
          {item.kind === 'tool' ? <Tool tool={item} /> : null}
          {item.kind === 'lookup' ? <KnowledgeLookUp lookUp={item} /> : null}
          {item.kind === 'error' ? <Fault code={item.code} detail={item.detail} /> : null}
          {item.kind === 'note' ? (
            <p className="said-note">
              {item.text} <span className="sr-only">at</span> <Time epochS={item.ts} isClock />
            </p>
          ) : null}
          <Timings exchange={ofTurn.get(item.seq)} isOf={item.kind === 'turn'} />
        </li>
      ))}
      {now.hears ? <LiveBubble who="contact" speaker={contact} text={now.hears} /> : null}
      {now.says ? <LiveBubble who="agent" speaker={agent} text={now.says} /> : null}
    </ol>
  )
}

const classOf = ({ kind, ...item }: Item) =>
  kind === 'turn' && 'who' in item ? item.who : kind === 'lookup' ? 'tool' : kind

function LiveBubble({ who, speaker, text }: { who: string; speaker: string; text: string }) {
  return (
    <li className={`said ${who} is-now`}>
      <span className="said-at soft">now</span>
      <div className="bubble">
        <div className="bubble-who">{speaker}</div>
        <p className="bubble-text">{text}…</p>
      </div>
    </li>
  )
}

function Tool({ tool: { name, asked, ok, answer, tookS } }: { tool: ToolRun }) {
  return (
    <details className="said-tool">
      <summary>
        <code>{name}</code>{' '}
        {ok === null ? (
          <Badge tone="warn">Running</Badge>
        ) : (
          <Badge tone={ok ? 'good' : 'bad'}>{ok ? 'Done' : 'Failed'}</Badge>
        )}{' '}
        {tookS === null ? '' : <span className="soft">{tookOf(tookS * 1000)}</span>}
      </summary>
      <dl>
        <dt>Arguments</dt>
        <dd>
          <code>{asked || '{}'}</code>
        </dd>
        {ok === null ? null : (
          <>
            <dt>Result</dt>
            <dd>
              <code>{answer}</code>
            </dd>
          </>
        )}
      </dl>
    </details>
  )
}

function Fault({ code, detail }: { code: string; detail: string }) {
  return (
    <p className="said-fault">
      <Badge tone="bad">{errorName(code)}</Badge> {detail && screenSentence(detail)}
    </p>
  )
}

function Timings({ exchange, isOf }: { exchange: Exchange | undefined; isOf: boolean }) {
  const [isOpen, setOpen] = useState(false)
  if (!exchange || !isOf) return null
  return (
    <details
      className="said-timings"
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>Latency {tookOf(exchange.totalMs)}</summary>
      {isOpen ? <Waterfall exchange={exchange} /> : null}
    </details>
  )
}
