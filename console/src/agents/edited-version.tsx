import { useState, type ReactNode } from 'react'
import { unsavedChanges, useHeld } from '../api/leaving.ts'
import { useGet } from '../api/queries.ts'
import { Loaded } from '../ui/feedback.tsx'
import { Button } from '../ui/button.tsx'
import {
  ScopeSelect,
  scopeLabels,
  useScopeChoice,
  type ScopeChoosing,
  type ScopeName,
} from './scope-choice.tsx'

export interface Edited<Row> {
  choosing: ScopeChoosing
  /** The saved version that is edited; null before the first save. */
  own: Row | null
  /** The editor reports unsaved changes. */
  setDirty: (isDirty: boolean) => void
  /** The editor reports a refused save, for example because another member saved first. */
  onRefused: () => void
}

interface ScopedEditorProps<View, Row> {
  address: string
  /** A new key resets the editor. */
  children: (view: View, edited: Edited<Row>, key: string) => ReactNode
}

/** Edits the newest version in the chosen scope. */
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
      <Loaded of={versions}>
        {(view) => (
          <EditedVersion scope={choosing.scope} newest={view[choosing.scope]}>
            {(edited, key) => children(view, { choosing, onRefused, ...edited }, key)}
          </EditedVersion>
        )}
      </Loaded>
    </div>
  )
}

interface EditedVersionProps<Row> {
  scope: ScopeName
  newest: Row | null
  children: (edited: Pick<Edited<Row>, 'own' | 'setDirty'>, key: string) => ReactNode
}

/** Loads a version that another member saves, unless that would lose unsaved changes. */
function EditedVersion<Row extends { version: number }>({
  scope,
  newest,
  children,
}: EditedVersionProps<Row>) {
  const [begun, setBegun] = useState({ scope, own: newest })
  const [isDirty, setDirty] = useState(false)
  useHeld(isDirty, unsavedChanges)
  const isOther = begun.scope !== scope || begun.own?.version !== newest?.version
  const load = () => {
    setBegun({ scope, own: newest })
    setDirty(false)
  }
  if (isOther && (!isDirty || begun.scope !== scope)) load()
  const { own } = begun
  return (
    <>
      {isOther && isDirty ? (
        <div className="row" role="status">
          <p className="grow">
            {scopeLabels[scope]}: version {newest?.version ?? 0} was saved in the meantime. Your changes here
            cannot be saved.
          </p>
          <Button onClick={load}>Discard my changes</Button>
        </div>
      ) : null}
      {children({ own, setDirty }, `${begun.scope} ${own?.version ?? 0}`)}
    </>
  )
}
