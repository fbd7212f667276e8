import { useState } from 'react'
import { useSession } from '../api/session.ts'
import { useWho } from '../who/identity.ts'
import { Select } from '../ui/field.tsx'

/** Whose settings are meant: in the sandbox a person has their own and the team's, in production there is one. */
export type ScopeName = 'yours' | 'team' | 'production'

export const scopeWords: Record<ScopeName, string> = {
  yours: 'Yours',
  team: 'Team',
  production: 'Production',
}

export interface ScopeChoosing {
  scope: ScopeName
  /** How a request says it. */
  isTeam: boolean
  choose: ((scope: ScopeName) => void) | null
}

export function useScopeChoice(): ScopeChoosing {
  const { env } = useSession()
  const { me } = useWho()
  const [chosen, setChosen] = useState<ScopeName>('yours')
  if (env === 'production') return { scope: 'production', isTeam: false, choose: null }
  if (me?.email === null) return { scope: 'team', isTeam: true, choose: null }
  return { scope: chosen, isTeam: chosen === 'team', choose: setChosen }
}

export function ScopeSelect({ scope, choose }: ScopeChoosing) {
  if (!choose) return null
  return (
    <div className="narrow">
      <Select
        label="Scope"
        hint="Your own is used by your calls alone."
        value={scope}
        onChange={(value) => choose(value === 'team' ? 'team' : 'yours')}
        options={[
          { value: 'yours', label: 'Yours' },
          { value: 'team', label: 'The team’s' },
        ]}
      />
    </div>
  )
}
