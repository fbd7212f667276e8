import type { Environment } from '@switchroom/contract/scopes'
import { chooseEnvironment, useSession } from '../api/session.ts'
import { useWho } from '../who/identity.ts'

const names: Record<Environment, string> = { sandbox: 'Sandbox', production: 'Production' }

/** Always in sight. In production the whole page says so. */
export function EnvironmentSwitch() {
  const { env } = useSession()
  const { me } = useWho()
  if (!me) return null
  const isOpen = (other: Environment) =>
    me.email === null ? other === me.env : other === 'sandbox' || me.production
  return (
    <fieldset className="environments">
      <legend className="sr-only">Environment</legend>
      {(['sandbox', 'production'] as const).map((other) => (
        <label
          key={other}
          className={other}
          title={isOpen(other) ? undefined : 'An admin can give you production access.'}
        >
          <input
            type="radio"
            name="environment"
            checked={env === other}
            disabled={!isOpen(other)}
            onChange={() => chooseEnvironment(other)}
          />
          {names[other]}
        </label>
      ))}
    </fieldset>
  )
}
