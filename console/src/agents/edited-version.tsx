import { useState, type ReactNode } from 'react'
import { useGet } from '../api/queries.ts'
import { Answered } from '../ui/answers.tsx'
import { Button } from '../ui/button.tsx'
import {
  ScopeSelect,
  scopeWords,
  useScopeChoice,
  type ScopeChoosing,
  type ScopeName,
} from './scope-choice.tsx'

export interface Edited<Row> {
  choosing: ScopeChoosing
  /** What the editor begins with; null where nothing is set yet. */
  own: Row | null
  /** Told by the editor: whether something in it is not saved. */
  setDirty: (isDirty: boolean) => void
  /** Told by the editor: what it sent was refused, as it is where somebody else saved meanwhile. */
  onRefused: () => void
}

interface ScopedEditorProps<View, Row> {
  address: string
  /** Another key means that the editor begins anew. */
  children: (view: View, edited: Edited<Row>, key: string) => ReactNode
}

/** What an agent has in versions: the newest one of the scope that is chosen, to be changed. */
export function ScopedEditor<View extends Record<ScopeName, Row | null>, Row extends { version: number }>({
  address,
  children,
}: ScopedEditorProps<View, Row>) {
  const versions = useGet<View>(address)
  const choosing = useScopeChoice()
  const onRefused = () => void versions.refetch()
  return (
    <div className="stack">
      <ScopeSelect {...choosing} />
      <Answered of={versions}>
        {(view) => (
          <EditedVersion scope={choosing.scope} newest={view[choosing.scope]}>
            {(edited, key) => children(view, { choosing, onRefused, ...edited }, key)}
          </EditedVersion>
        )}
      </Answered>
    </div>
  )
}

interface EditedVersionProps<Row> {
  scope: ScopeName
  newest: Row | null
  children: (edited: Pick<Edited<Row>, 'own' | 'setDirty'>, key: string) => ReactNode
}

/** A version that somebody else saves meanwhile is taken up at once, unless that would lose what was typed. */
function EditedVersion<Row extends { version: number }>({
  scope,
  newest,
  children,
}: EditedVersionProps<Row>) {
  const [begun, setBegun] = useState({ scope, own: newest })
  const [isDirty, setDirty] = useState(false)
  const isOther = begun.scope !== scope || begun.own?.version !== newest?.version
  const takeUp = () => {
    setBegun({ scope, own: newest })
    setDirty(false)
  }
  if (isOther && (!isDirty || begun.scope !== scope)) takeUp()
  const { own } = begun
  return (
    <>
      {isOther && isDirty ? (
        <div className="row" role="status">
          <p className="grow">
            {scopeWords[scope]} is at version {newest?.version ?? 0} meanwhile: what you changed here cannot
            be saved over it.
          </p>
          <Button onClick={takeUp}>Drop my changes and take it up</Button>
        </div>
      ) : null}
      {children({ own, setDirty }, `${begun.scope} ${own?.version ?? 0}`)}
    </>
  )
}
