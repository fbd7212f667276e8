import type { CallSummary } from '@switchroom/contract/sessions'
import type { Supervised, Verb } from '@switchroom/contract/supervising'
import { useState } from 'react'
import { path } from '../api/client.ts'
import { useSend } from '../api/queries.ts'
import { Refusal } from '../ui/answers.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextArea } from '../ui/field.tsx'
import { Section } from '../ui/page.tsx'
import { toast } from '../ui/toast.tsx'

interface SuperviseProps {
  summary: Pick<CallSummary, 'call' | 'state' | 'channel'>
  /** Who took it over, by name; null while nobody has. */
  holder: string | null
}

const done: Record<Verb, string> = {
  takeover: 'You have the call',
  release: 'The agent has the call again',
  say: 'Said',
  whisper: 'Whispered to the agent',
  end: 'The call is over',
}

/** What a person does to a call from outside: take it over, give it back, speak into it, end it. */
export function SuperviseCall({ summary: { call, state, channel }, holder }: SuperviseProps) {
  const { send, busy, error } = useSend()
  const [text, setText] = useState('')
  const [isEnding, setEnding] = useState(false)
  const act = async (verb: Verb) => {
    const body = { verb, ...((verb === 'say' || verb === 'whisper') && { text }) }
    const answer = await send<Supervised>('post', path`/v1/calls/${call}/verbs`, body)
    setEnding(false)
    if (!answer) return
    if (verb === 'say' || verb === 'whisper') setText((now) => (now === text ? '' : now)) // what was typed meanwhile stays
    toast(done[verb])
  }
  const isHeld = state === 'held'
  const isSpoken = channel === 'phone' || channel === 'web'
  return (
    <Section
      title="Supervise"
      hint={
        isHeld
          ? `${holder ?? 'Somebody'} has this call: the model stays quiet until it is given back.`
          : 'The agent answers. Whisper to guide it, say something in its place, or take the call over.'
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
          label="Your words"
          value={text}
          onChange={setText}
          maxLength={8000}
          rows={3}
          hint={
            isSpoken ? 'Said in the agent’s voice, as they stand.' : 'Written to the contact, as they stand.'
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
            Give it back
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
        <p>The contact is hung up on. It cannot be taken back.</p>
        <div className="row end">
          <Button onClick={() => setEnding(false)}>Keep it</Button>
          <Button tone="danger" busy={busy} onClick={() => void act('end')}>
            End call
          </Button>
        </div>
      </Dialog>
    </Section>
  )
}
