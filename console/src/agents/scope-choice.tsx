import { useState } from 'react'
import { mayLeave } from '../api/leaving.ts'
import { useSession } from '../api/session.ts'
import { useWho } from '../who/identity.ts'
import { Select } from '../ui/field.tsx'

/** Whose settings: a draft and the team's in the sandbox, one set in production. */
export type ScopeName = 'yours' | 'team' | 'production'

export const scopeLabels: Record<ScopeName, string> = {
  yours: 'My draft',
  team: 'Team',
  production: 'Production',
}

export interface ScopeChoosing {
  scope: ScopeName
  /** The `team` flag of requests. */
  isTeam: boolean
  choose: ((scope: ScopeName) => void) | null
}

export function useScopeChoice(): ScopeChoosing {
  const { env } = useSession()
  const { me } = useWho()
  const [chosen, setChosen] = useState<ScopeName>('yours')
  if (env === 'production') return { scope: 'production', isTeam: false, choose: null }
  if (me?.email === null) return { scope: 'team', isTeam: true, choose: null }
  return {
    scope: chosen,
    isTeam: chosen === 'team',
    choose: (scope) => void mayLeave().then((isOkay) => isOkay && setChosen(scope)),
  }
}

export function ScopeSelect({ scope, choose }: ScopeChoosing) {
  if (!choose) return null
  return (
    <div className="narrow">
      <Select
        label="Scope"
        hint="Only your own calls use your draft."
        value={scope}
        onChange={(value) => choose(value === 'team' ? 'team' : 'yours')}
        options={[
          { value: 'yours', label: scopeLabels.yours },
          { value: 'team', label: scopeLabels.team },
        ]}
      />
    </div>
  )
}
