import type { Identity, OperatorIdentity } from '@switchroom/contract/identity'
import type { Scope } from '@switchroom/contract/scopes'
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { createContext, use } from 'react'
import { api, Refused } from '../api/client.ts'
import { useSession } from '../api/session.ts'

/** Who uses the console. The platform's own key names no org, so it has no `me`. */
export interface Who {
  me: Identity | null
  operator: OperatorIdentity | null
}

export const WhoContext = createContext<Who>({ me: null, operator: null })

export function useWho(): Who {
  return use(WhoContext)
}

/** Whether the key opens a scope. It hides what would be refused; the gateway is who refuses. */
export function useCan(): (...scopes: Scope[]) => boolean {
  const { me } = useWho()
  return (...scopes) => scopes.some((scope) => me?.scopes.includes(scope))
}

/** A key's own environment first: a server token acts in one alone. */
export function useIdentity(): UseQueryResult<Who> {
  const { key } = useSession()
  return useQuery({ queryKey: [key, 'identity'], queryFn: identify, staleTime: 60_000 })
}

async function identify(): Promise<Who> {
  const operator = await orNull(api.get<OperatorIdentity>('/v1/ops/whoami', { env: null, isProbe: true }))
  const mine = api.get<Identity>('/v1/whoami', { env: null, isProbe: operator !== null })
  const me = operator ? await orNull(mine) : await mine
  return { me, operator }
}

async function orNull<Answer>(asked: Promise<Answer>): Promise<Answer | null> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof Refused && error.status >= 400 && error.status < 500) return null
    throw error
  }
}
