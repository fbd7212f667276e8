import type { Lexicon, LexiconRow, LexiconView } from '@switchroom/contract/settings'
import { useEffect, useState, type FormEvent } from 'react'
import { path } from '../api/client.ts'
import { useSend } from '../api/queries.ts'
import { Refusal } from '../ui/feedback.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { TextArea, TextField } from '../ui/field.tsx'
import { Section } from '../ui/page.tsx'
import { toast } from '../ui/toast.tsx'
import type { AgentPartProps } from './agent-part.ts'
import { ScopedEditor, type Edited } from './edited-version.tsx'
import { scopeLabels } from './scope-choice.tsx'
import './settings.css'

export default function LexiconPart({ agent }: AgentPartProps) {
  return (
    <ScopedEditor<LexiconView, LexiconRow> address={path`/v1/agents/${agent}/lexicon`}>
      {({ team, fixed }, edited, key) => (
        <Editor
          key={key}
          agent={agent}
          below={edited.choosing.scope === 'yours' ? team : null}
          fixed={fixed}
          {...edited}
        />
      )}
    </ScopedEditor>
  )
}

interface EditorProps extends Edited<LexiconRow> {
  agent: string
  below: LexiconRow | null
  fixed: string[]
}

type Said = Lexicon['said'][number] & { id: number }

let lastId = 0
const withIds = (said: Lexicon['said']): Said[] => said.map((one) => ({ ...one, id: (lastId += 1) }))

function Editor({ agent, own, below, fixed, choosing, setDirty, onRefused }: EditorProps) {
  const { scope, isTeam } = choosing
  const [start] = useState(() => (own ?? below)?.lexicon ?? { said: [], heard: [] })
  const [said, setSaid] = useState(() => withIds(start.said))
  const [heard, setHeard] = useState(start.heard.join('\n'))
  const { send, busy, error } = useSend()
  const change = (id: number, field: 'word' | 'spoken') => (value: string) =>
    setSaid((before) => before.map((one) => (one.id === id ? { ...one, [field]: value } : one)))
  const lexicon: Lexicon = {
    said: said.map(({ word, spoken }) => ({ word, spoken })),
    heard: heard
      .split('\n')
      .map((word) => word.trim())
      .filter(Boolean),
  }
  const isDirty = JSON.stringify(lexicon) !== JSON.stringify(start)
  useEffect(() => setDirty(isDirty), [isDirty, setDirty])
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const body = { lexicon, if_version: own?.version ?? 0, ...(isTeam && { team: true }) }
    if (!(await send('put', path`/v1/agents/${agent}/lexicon`, body))) return onRefused()
    setDirty(false)
    toast('Lexicon saved.')
  }
  return (
    <form className="stack" onSubmit={(event) => void submit(event)}>
      {own === null && below !== null ? (
        <p className="soft">You have no draft yet: this is the team’s lexicon. Saving creates your draft.</p>
      ) : null}
      <Section
        title="Pronunciation"
        hint="How text-to-speech says a word."
        actions={fixed.includes('says') ? <Badge tone="warn">Set in code</Badge> : null}
      >
        <div className="said-rows">
          {said.map(({ id, word, spoken }) => (
            <div key={id} className="said-row">
              <TextField
                label="Word"
                value={word}
                onChange={change(id, 'word')}
                disabled={fixed.includes('says')}
              />
              <TextField
                label="Say as"
                value={spoken}
                onChange={change(id, 'spoken')}
                disabled={fixed.includes('says')}
              />
              <Button
                aria-label={`Remove ${word || 'this word'}`}
                disabled={fixed.includes('says')}
                onClick={() => setSaid((before) => before.filter((one) => one.id !== id))}
              >
                Remove
              </Button>
            </div>
          ))}
        </div>
        <div className="row">
          <Button
            disabled={fixed.includes('says')}
            onClick={() => setSaid((before) => [...before, ...withIds([{ word: '', spoken: '' }])])}
          >
            Add word
          </Button>
        </div>
      </Section>
      <Section
        title="Vocabulary"
        hint="Names and terms that speech-to-text should recognize, one per line."
        actions={fixed.includes('hears') ? <Badge tone="warn">Set in code</Badge> : null}
      >
        <TextArea
          label="Words"
          rows={6}
          value={heard}
          onChange={setHeard}
          disabled={fixed.includes('hears')}
        />
      </Section>
      <Refusal error={error} />
      <div className="row">
        <Button tone="primary" type="submit" busy={busy}>
          Save lexicon
        </Button>
        <span className="soft">
          {own ? `${scopeLabels[scope]}: version ${own.version}.` : 'Nothing saved yet.'}
        </span>
      </div>
    </form>
  )
}
