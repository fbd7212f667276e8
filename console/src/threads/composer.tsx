import type { Thread, WrittenToThread } from '@switchroom/contract/threads'
import { useEffect, useState, type KeyboardEvent } from 'react'
import { path } from '../api/client.ts'
import { useSend } from '../api/queries.ts'
import { Refusal } from '../ui/feedback.tsx'
import { Button } from '../ui/button.tsx'
import { TextArea } from '../ui/field.tsx'
import { threadsOf } from './inbox-threads.ts'
import { TemplateButton } from './template-button.tsx'
import { titleOf, whyClosed } from './thread-labels.ts'

const longest = 4096

/** A supervisor writes as the agent; a refused message stays in the field. */
export function Composer({ agent, thread }: { agent: string; thread: Thread }) {
  const { send, busy, error } = useSend()
  const [text, setText] = useState('')
  const closed = whyClosed(thread, useNowS())
  const isBlank = text.trim() === ''
  const write = async () => {
    if (isBlank || busy) return
    const at = `${threadsOf(agent)}${path`/${thread.contact}/messages`}`
    const isSent = await send<WrittenToThread>('post', at, { text })
    if (isSent) setText((now) => (now === text ? '' : now)) // keeps text typed in the meantime
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    void write()
  }
  if (closed !== null && isBlank)
    return (
      <div className="thread-shut soft">
        <p>{closed}</p>
        {thread.state === 'waiting' ? null : (
          <div className="row end">
            <TemplateButton agent={agent} thread={thread} />
          </div>
        )}
      </div>
    )
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault()
        void write()
      }}
    >
      <TextArea
        label={`Message to ${titleOf(thread)}`}
        value={text}
        onChange={setText}
        onKeyDown={onKeyDown}
        maxLength={longest}
        rows={2}
        hint={
          thread.state === 'held'
            ? 'You took over this conversation. Ctrl+Enter sends.'
            : 'Sent as the agent, which answers the next message. Ctrl+Enter sends.'
        }
      />
      <Refusal error={error} />
      <div className="row end">
        <TemplateButton agent={agent} thread={thread} />
        <Button type="submit" tone="primary" busy={busy} disabled={isBlank}>
          Send
        </Button>
      </div>
    </form>
  )
}

const everyMs = 30_000

/** The 24-hour window can close while the thread is open. */
function useNowS(): number {
  const [nowMs, setNowMs] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [])
  return nowMs / 1000
}
