import type { Thread } from '@switchroom/contract/threads'
import { Fragment } from 'react'
import { Link } from 'wouter'
import { channelName } from '../calls/call-labels.ts'
import '../ui/conversation.css'
import { Badge } from '../ui/badge.tsx'
import { useFollowEnd } from '../ui/follow-end.ts'
import { Time } from '../ui/time.tsx'
import { deliveryOf, titleOf } from './thread-labels.ts'

/** All turns between an agent and one contact, on every channel, oldest first. */
export function ThreadTurns({ thread, agent }: { thread: Thread; agent: string }) {
  const { turns, waiting, calls } = thread
  const list = useFollowEnd<HTMLOListElement>(`${turns.at(-1)?.ts} ${waiting.length}`)
  const speakers = { contact: titleOf(thread), agent, supervisor: 'Supervisor' }
  const callOf = (id: string) => calls.find(({ call }) => call === id)
  return (
    // A scrolling list takes the focus, so that the arrow keys move it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <ol className="conversation thread-turns" ref={list} aria-label="Conversation" tabIndex={0}>
      {turns.map((turn, at) => {
        const { call, seq, ts, who, text, delivery } = turn
        const opened = callOf(call)
        return (
          <Fragment key={`${call} ${seq}`}>
            {turns[at - 1]?.call === call ? null : (
              <li className="thread-break soft">
                {channelName(opened?.channel ?? '')} on <Time epochS={opened?.started_at ?? ts} />,{' '}
                <Link href={`/calls/${encodeURIComponent(call)}`}>call log</Link>
              </li>
            )}
            <li className={`said in-thread ${who}`}>
              <div className="bubble">
                <div className="bubble-who">{speakers[who]}</div>
                <p className="bubble-text">{text}</p>
                <div className="bubble-when soft">
                  <Time epochS={ts} isClock /> {delivery?.status === 'failed' ? null : deliveryOf(turn)}
                </div>
                {delivery?.status === 'failed' ? (
                  <p className="bubble-failure">
                    <Badge tone="bad">{deliveryOf(turn)}</Badge> {delivery.detail}
                  </p>
                ) : null}
              </div>
            </li>
          </Fragment>
        )
      })}
      {waiting.map(({ ts, text }) => (
        <li key={`${ts} ${text}`} className="said in-thread contact">
          <div className="bubble">
            <div className="bubble-who">{speakers.contact}</div>
            <p className="bubble-text">{text}</p>
            <div className="bubble-when soft">
              <Badge tone="warn">Waiting</Badge> <Time epochS={ts} isClock />
            </div>
          </div>
        </li>
      ))}
    </ol>
  )
}
