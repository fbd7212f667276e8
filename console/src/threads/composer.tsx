import type { Thread, WrittenToThread } from '@switchroom/contract/threads'
import { useEffect, useState, type KeyboardEvent } from 'react'
import { path } from '../api/client.ts'
import { useSend } from '../api/queries.ts'
import { Refusal } from '../ui/answers.tsx'
import { Button } from '../ui/button.tsx'
import { TextArea } from '../ui/field.tsx'
import { threadsOf } from './inbox-threads.ts'
import { titleOf, whyShut } from './thread-labels.ts'

const longest = 4096

/** A person writes as the agent; what is refused is told here, and what was typed stays. */
export function Composer({ agent, thread }: { agent: string; thread: Thread }) {
  const { send, busy, error } = useSend()
  const [text, setText] = useState('')
  const shut = whyShut(thread, useNowS())
  const isBlank = text.trim() === ''
  const write = async () => {
    if (isBlank || busy) return
    const at = `${threadsOf(agent)}${path`/${thread.contact}/messages`}`
    const isSent = await send<WrittenToThread>('post', at, { text })
    if (isSent) setText((now) => (now === text ? '' : now)) // what was typed meanwhile stays
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    void write()
  }
  if (shut !== null && isBlank) return <p className="thread-shut soft">{shut}</p>
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault()
        void write()
      }}
    >
      <TextArea
        label={`Write to ${titleOf(thread)}`}
        value={text}
        onChange={setText}
        onKeyDown={onKeyDown}
        maxLength={longest}
        rows={2}
        hint={
          thread.state === 'held'
            ? 'You have the conversation. Ctrl and Enter sends.'
            : 'It goes out as the agent, which answers what comes next. Ctrl and Enter sends.'
        }
      />
      <Refusal error={error} />
      <div className="row end">
        <Button type="submit" tone="primary" busy={busy} disabled={isBlank}>
          Send
        </Button>
      </div>
    </form>
  )
}

const everyMs = 30_000

/** A window closes while somebody looks at it. */
function useNowS(): number {
  const [nowMs, setNowMs] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [])
  return nowMs / 1000
}
