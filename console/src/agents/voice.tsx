import { Link } from 'wouter'
import { path } from '../api/client.ts'
import { useHeld, type Held } from '../api/leaving.ts'
import { Empty, Refusal } from '../ui/feedback.tsx'
import { StatusLight } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Switch } from '../ui/field.tsx'
import type { AgentPartProps } from './agent-part.ts'
import { useFollowEnd } from '../ui/follow-end.ts'
import './chat.css'
import { useVoiceCall } from './voice-call.ts'

const runningCall: Held = {
  title: 'Hang up?',
  text: 'The call is still running. Leaving this page hangs up.',
  leave: 'Hang up and leave',
}

export default function VoicePart({ agent }: AgentPartProps) {
  const voice = useVoiceCall(agent)
  const isOver = voice.state === 'ended'
  const list = useFollowEnd<HTMLDivElement>(voice.lines)
  useHeld(voice.state === 'open', runningCall)

  if (voice.state === 'closed')
    return (
      <div className="stack">
        <Refusal error={voice.error} />
        <Empty title={`Talk to ${agent}`}>
          <p>Your browser asks for the microphone. A live transcript appears below.</p>
          <Button tone="primary" onClick={voice.start}>
            Start talking
          </Button>
        </Empty>
      </div>
    )
  return (
    <section className="chat" aria-label={`Spoken call with ${agent}`}>
      <div className="voice-state">
        <StatusLight
          state={isOver ? 'broken' : voice.state === 'open' ? 'ok' : 'waiting'}
          label={isOver ? 'Call ended' : voice.state === 'open' ? 'Connected' : 'Connecting'}
        />
        {isOver ? (
          <Button tone="primary" onClick={voice.start}>
            Talk again
          </Button>
        ) : (
          <>
            <Switch label="Mute microphone" checked={voice.isMuted} onChange={voice.mute} />
            <Button tone="danger" onClick={voice.end}>
              Hang up
            </Button>
          </>
        )}
      </div>
      <div className="chat-lines" ref={list} role="log" aria-label="Transcript" tabIndex={0}>
        {voice.lines.map(({ id, who, text, isFinal }) => (
          <div key={id} className={`chat-line ${who === 'user' ? 'you' : 'agent'}`}>
            <span className="sr-only">{who === 'user' ? 'You' : agent}: </span>
            {isFinal ? text : `${text}…`}
          </div>
        ))}
      </div>
      {voice.call ? (
        <p className="soft">
          <Link href={path`/calls/${voice.call}`}>Call log</Link> with latency
        </p>
      ) : null}
    </section>
  )
}
