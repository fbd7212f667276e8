import { useLocation } from 'wouter'
import { addressIn, environmentNames } from '../api/environment.ts'
import { useSession } from '../api/session.ts'
import { mayEnter, useWho } from '../who/identity.ts'

/** Always in sight. In production the whole page says so. */
export function EnvironmentSwitch() {
  const { env } = useSession()
  const { me } = useWho()
  const [, goTo] = useLocation()
  if (!me) return null
  return (
    <fieldset className="environments">
      <legend className="sr-only">Environment</legend>
      {(['sandbox', 'production'] as const).map((other) => (
        <label
          key={other}
          className={other}
          title={mayEnter(me, other) ? undefined : 'An admin can give you production access.'}
        >
          <input
            type="radio"
            name="environment"
            checked={env === other}
            disabled={!mayEnter(me, other)}
            onChange={() => goTo(`~${addressIn(other)}`)}
          />
          {environmentNames[other]}
        </label>
      ))}
    </fieldset>
  )
}
