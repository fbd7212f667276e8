import type { CallSummary } from '@switchroom/contract/sessions'
import { useQuery } from '@tanstack/react-query'
import { ask, path, Refused } from '../api/client.ts'
import { environmentNames, otherThan } from '../api/environment.ts'
import { useSession } from '../api/session.ts'
import { ButtonLink } from '../ui/button.tsx'
import { Empty } from '../ui/feedback.tsx'
import { mayEnter, useWho } from '../who/identity.ts'

/** For a call that is not in this environment: it may be in the other one, to which this leads. */
export function CallElsewhere({ call, refused }: { call: string; refused: Error | null }) {
  const { key, env } = useSession()
  const { me } = useWho()
  const other = otherThan(env)
  const at = path`/v1/calls/${call}/state`
  const isMissing = refused instanceof Refused && refused.status === 404
  const found = useQuery({
    queryKey: [key, other, at],
    queryFn: ({ signal }) => ask<CallSummary>('get', at, undefined, { signal, env: other, isProbe: true }),
    enabled: isMissing && me !== null && mayEnter(me, other),
    retry: false,
  })
  if (!isMissing || !found.data) return null
  const name = environmentNames[other].toLowerCase()
  return (
    <Empty title={`This call is in ${other === 'sandbox' ? 'the sandbox' : 'production'}`}>
      <ButtonLink tone="primary" href={path`~/${other}/calls/${call}`}>
        Switch to {name}
      </ButtonLink>
    </Empty>
  )
}
