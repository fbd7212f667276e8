import { useEffect, useRef, useState, type FormEvent } from 'react'
import { Link } from 'wouter'
import { path } from '../api/client.ts'
import { useHeld, type Held } from '../api/leaving.ts'
import { Empty, Refusal } from '../ui/feedback.tsx'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import type { AgentPartProps } from './agent-part.ts'
import { useFollowEnd } from '../ui/follow-end.ts'
import { useChat } from './chat-socket.ts'
import './chat.css'

const runningChat: Held = {
  title: 'End this chat?',
  text: 'The chat is still running. Leaving this page ends it; what was said stays under Calls.',
  leave: 'End chat and leave',
}

export default function ChatPart({ agent }: AgentPartProps) {
  const chat = useChat(agent)
  const [text, setText] = useState('')
  const list = useFollowEnd<HTMLDivElement>(chat)
  const input = useRef<HTMLInputElement>(null)
  useHeld(chat.state === 'open', runningChat)
  useEffect(() => {
    if (chat.state === 'open') input.current?.focus()
  }, [chat.state])

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() === '') return
    chat.say(text)
    setText('')
  }
  if (chat.state === 'closed')
    return (
      <div className="stack">
        <Refusal error={chat.error} />
        <Empty title={`Chat with ${agent}`}>
          <p>The agent answers as it does for any caller. The conversation is logged under Calls.</p>
          <Button tone="primary" onClick={chat.start}>
            Start chat
          </Button>
        </Empty>
      </div>
    )
  return (
    <section className="chat" aria-label={`Chat with ${agent}`}>
      <div className="chat-lines" ref={list} role="log" aria-label="Transcript" tabIndex={0}>
        {chat.lines.map(({ id, who, text: said, isFinal }) => (
          <div
            key={id}
            className={`chat-line ${who === 'user' ? 'you' : 'agent'}`}
            data-sending={!isFinal || undefined}
          >
            <span className="sr-only">{who === 'user' ? 'You' : agent}: </span>
            {said}
          </div>
        ))}
        {chat.isAnswering ? <div className="chat-line agent waiting">{agent} is answering…</div> : null}
      </div>
      {chat.state === 'open' && !chat.isConnected ? (
        <p className="soft" role="status">
          No connection to the gateway. The chat connects again by itself; what you send waits until then.
        </p>
      ) : null}
      <Refusal error={chat.error} />
      {chat.state === 'ended' ? (
        <div className="row">
          <p className="grow">The conversation has ended.</p>
          {chat.call ? <Link href={path`/calls/${chat.call}`}>Call log</Link> : null}
          <Button tone="primary" onClick={chat.start}>
            New chat
          </Button>
        </div>
      ) : (
        <form className="chat-form" onSubmit={submit}>
          <TextField
            label="Message"
            ref={input}
            autoComplete="off"
            disabled={chat.state === 'opening'}
            value={text}
            onChange={setText}
          />
          <Button tone="primary" type="submit" busy={chat.state === 'opening'}>
            Send
          </Button>
          <Button onClick={chat.end}>End chat</Button>
        </form>
      )}
      {chat.call && chat.state === 'open' ? (
        <p className="soft">
          <Link href={path`/calls/${chat.call}`}>Call log</Link>
        </p>
      ) : null}
    </section>
  )
}
