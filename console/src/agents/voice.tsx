import type { Entry } from '@switchroom/contract/log'
import { Link } from 'wouter'
import { path } from '../api/client.ts'
import { useLog } from '../api/events.ts'
import { useCan } from '../who/identity.ts'
import { Empty, Refusal } from '../ui/feedback.tsx'
import { StatusLight } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Switch } from '../ui/field.tsx'
import type { AgentPartProps } from './agent-part.ts'
import './chat.css'
import { useVoiceCall } from './voice-call.ts'

export default function VoicePart({ agent }: AgentPartProps) {
  const voice = useVoiceCall(agent)
  const can = useCan()
  const isReading = voice.call !== null && can('calls')
  const { entries } = useLog(isReading && voice.call ? path`/v1/calls/${voice.call}/events` : null)
  const isOver = voice.state === 'ended' || entries.some(({ type }) => type === 'call.ended')

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
      <div className="chat-lines" role="log" aria-label="Transcript" tabIndex={0}>
        {spokenIn(entries).map(({ key, who, text }) => (
          <div key={key} className={`chat-line ${who}`}>
            <span className="sr-only">{who === 'you' ? 'You' : agent}: </span>
            {text}
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

/** The finished turns, and the partial transcript of the current one. */
function spokenIn(entries: readonly Entry[]) {
  const said = entries
    .filter(({ type }) => type === 'user.message' || type === 'agent.message')
    .map(({ seq, type, data }) => ({
      key: String(seq),
      who: type === 'user.message' ? ('you' as const) : ('agent' as const),
      text: typeof data['text'] === 'string' ? data['text'] : '',
    }))
  const last = entries.at(-1)
  const partial = last?.type === 'user.speaking' ? last.data['text'] : undefined
  if (typeof partial === 'string' && partial !== '')
    said.push({ key: 'now', who: 'you', text: `${partial}…` })
  return said
}
