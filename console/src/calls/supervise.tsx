import type { CallSummary } from '@switchroom/contract/sessions'
import type { Supervised, Verb } from '@switchroom/contract/supervising'
import { useState } from 'react'
import { path } from '../api/client.ts'
import { useSend } from '../api/queries.ts'
import { Refusal } from '../ui/feedback.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextArea } from '../ui/field.tsx'
import { Section } from '../ui/page.tsx'
import { toast } from '../ui/toast.tsx'

interface SuperviseProps {
  summary: Pick<CallSummary, 'call' | 'state' | 'channel'>
  /** The name of the supervisor who took over; null while the agent answers. */
  supervisor: string | null
}

const done: Record<Verb, string> = {
  takeover: 'You took over the call.',
  release: 'The agent answers again.',
  say: 'Said.',
  whisper: 'Whispered to the agent.',
  end: 'Call ended.',
}

/** Supervision of a live call: take over, return, say, whisper, end. */
export function SuperviseCall({ summary: { call, state, channel }, supervisor }: SuperviseProps) {
  const { send, busy, error } = useSend()
  const [text, setText] = useState('')
  const [isEnding, setEnding] = useState(false)
  const act = async (verb: Verb) => {
    const body = { verb, ...((verb === 'say' || verb === 'whisper') && { text }) }
    const answer = await send<Supervised>('post', path`/v1/calls/${call}/verbs`, body)
    setEnding(false)
    if (!answer) return
    if (verb === 'say' || verb === 'whisper') setText((now) => (now === text ? '' : now)) // keeps text typed in the meantime
    toast(done[verb])
  }
  const isHeld = state === 'held'
  const isSpoken = channel === 'phone' || channel === 'web'
  return (
    <Section
      title="Supervise"
      hint={
        isHeld
          ? `${supervisor ?? 'Another member'} took over this call. The model does not answer until it is returned.`
          : 'The agent answers. Whisper to guide it, say something in its place, or take over.'
      }
    >
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void act('say')
        }}
      >
        <TextArea
          label="Message"
          value={text}
          onChange={setText}
          maxLength={8000}
          rows={3}
          hint={
            isSpoken ? 'Spoken word for word in the agent’s voice.' : 'Sent to the contact word for word.'
          }
        />
        <div className="row">
          <Button type="submit" tone="primary" busy={busy} disabled={text.trim() === ''}>
            Say
          </Button>
          <Button busy={busy} disabled={text.trim() === '' || isHeld} onClick={() => void act('whisper')}>
            Whisper
          </Button>
        </div>
      </form>
      <div className="row">
        {isHeld ? (
          <Button busy={busy} onClick={() => void act('release')}>
            Return to agent
          </Button>
        ) : (
          <Button busy={busy} onClick={() => void act('takeover')}>
            Take over
          </Button>
        )}
        <Button tone="danger" onClick={() => setEnding(true)}>
          End call
        </Button>
      </div>
      <Refusal error={error} />
      <Dialog title="End this call?" open={isEnding} onClose={() => setEnding(false)}>
        <p>This hangs up on the caller. It cannot be undone.</p>
        <div className="row end">
          <Button onClick={() => setEnding(false)}>Cancel</Button>
          <Button tone="danger" busy={busy} onClick={() => void act('end')}>
            End call
          </Button>
        </div>
      </Dialog>
    </Section>
  )
}
